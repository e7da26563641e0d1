import {
  AlarmClock,
  Ban,
  Check,
  CircleHelp,
  Clock,
  Eye,
  FileText,
  Inbox,
  KeyRound,
  Link2,
  Lock,
  type LucideIcon,
  Pencil,
  Undo2,
  Users,
  Wrench,
  X,
} from 'lucide-react'
import type { Tone } from './chip.tsx'

export type EventLook = readonly [icon: LucideIcon, tone: Tone, words: string]

/** What happened, for people. A type that is not in here is shown by its own name. */
const LOOKS: Readonly<Record<string, EventLook>> = {
  requested: [Inbox, 'plain', 'Asked'],
  decided: [Check, 'good', 'A person answered'],
  approved: [Check, 'good', 'Approved'],
  denied: [X, 'bad', 'Denied'],
  edited: [Pencil, 'warn', 'Edited'],
  extended: [Clock, 'plain', 'More time was given'],
  lifted: [Undo2, 'plain', 'Denial lifted: an equal call asks again'],
  reminded: [AlarmClock, 'plain', 'Reminded'],
  escalated: [AlarmClock, 'warn', 'More people were asked'],
  unreachable: [Ban, 'warn', 'Too few approvers were left'],
  reachable: [Check, 'plain', 'Enough approvers again'],
  expired: [Clock, 'warn', 'Expired'],
  withdrawn: [Undo2, 'plain', 'Withdrawn'],
  invalidated: [Ban, 'warn', 'Became void'],
  claimed: [Lock, 'accent', 'Claimed: the call starts'],
  renewed: [Lock, 'plain', 'Still running'],
  finished: [Check, 'good', 'Finished'],
  lost: [CircleHelp, 'open', 'Lost: outcome unknown'],
  resolved: [Check, 'good', 'A person wrote down what happened'],
  revealed: [Eye, 'warn', 'A masked value was looked at'],
  late: [Clock, 'plain', 'An answer came too late'],
  'grant.minted': [KeyRound, 'accent', 'A grant was made'],
  'grant.used': [KeyRound, 'plain', 'A grant was used'],
  'grant.revoked': [KeyRound, 'warn', 'A grant was revoked'],
  'grant.expired': [KeyRound, 'plain', 'A grant ended'],
  'grant.erased': [KeyRound, 'plain', 'What a grant was about was erased'],
  'lock.set': [Lock, 'warn', 'A lock was set'],
  'lock.lifted': [Lock, 'plain', 'A lock was lifted'],
  'person.added': [Users, 'plain', 'A person was added'],
  'person.changed': [Users, 'plain', 'A person’s roles changed'],
  'person.removed': [Users, 'warn', 'A person was removed'],
  'standin.set': [Users, 'plain', 'A stand-in was named'],
  'standin.ended': [Users, 'plain', 'A stand-in ended'],
  'session.started': [Users, 'plain', 'Signed in'],
  'session.ended': [Users, 'plain', 'Signed out'],
  'passkey.added': [KeyRound, 'plain', 'A passkey was added'],
  'passkey.removed': [KeyRound, 'plain', 'A passkey was removed'],
  'token.created': [KeyRound, 'plain', 'A token was made'],
  'token.revoked': [KeyRound, 'warn', 'A token was revoked'],
  'policy.loaded': [FileText, 'plain', 'The first policy came into force'],
  'policy.applied': [FileText, 'warn', 'Another policy came into force'],
  'studio.published': [Wrench, 'good', 'A tool was published'],
  'studio.unpublished': [Wrench, 'warn', 'A tool was unpublished'],
  'studio.secret': [KeyRound, 'warn', 'A secret of a tool was changed'],
  'models.set': [KeyRound, 'warn', 'A server of models was set up'],
  'models.removed': [KeyRound, 'plain', 'A server of models was removed'],
  'studio.tried': [Wrench, 'plain', 'A draft was run that reaches hosts'],
  'switch.set': [FileText, 'warn', 'A switch was set'],
  'switch.cleared': [FileText, 'plain', 'A switch was cleared'],
  'chain.started': [Link2, 'plain', 'A process began its chain'],
  'chain.linked': [Link2, 'plain', 'Chains were linked'],
}

export function eventLook(type: string): EventLook {
  return Object.hasOwn(LOOKS, type) ? (LOOKS[type] as EventLook) : [Inbox, 'plain', type]
}

/** The actor's name when it was not a person. */
export const SYSTEMS: Readonly<Record<string, string>> = {
  gate: 'Countersign',
  clock: 'The clock',
  sweeper: 'Countersign, looking after what is due',
}
