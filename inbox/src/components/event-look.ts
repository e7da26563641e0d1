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
  MessageCircleQuestion,
  MessageCircleReply,
  MessageSquare,
  Pencil,
  Undo2,
  UserCheck,
  Users,
  Wrench,
  X,
} from 'lucide-react'
import { type Message, msg, say } from '../lib/language/t.ts'
import type { Tone } from './chip.tsx'

export type EventLook = readonly [icon: LucideIcon, tone: Tone, words: string]

/** What happened, for people. A type that is not in here is shown by its own name. */
const LOOKS: Readonly<Record<string, readonly [LucideIcon, Tone, Message]>> = {
  requested: [Inbox, 'plain', msg('Asked')],
  decided: [Check, 'good', msg('A person answered')],
  approved: [Check, 'good', msg('Approved')],
  denied: [X, 'bad', msg('Denied')],
  edited: [Pencil, 'warn', msg('Edited')],
  extended: [Clock, 'plain', msg('More time was given')],
  lifted: [Undo2, 'plain', msg('Denial lifted: an equal call asks again')],
  reminded: [AlarmClock, 'plain', msg('Reminded')],
  escalated: [AlarmClock, 'warn', msg('More people were asked')],
  unreachable: [Ban, 'warn', msg('Too few approvers were left')],
  reachable: [Check, 'plain', msg('Enough approvers again')],
  expired: [Clock, 'warn', msg('Expired')],
  withdrawn: [Undo2, 'plain', msg('Withdrawn')],
  invalidated: [Ban, 'warn', msg('Became void')],
  claimed: [Lock, 'accent', msg('Claimed: the call starts')],
  renewed: [Lock, 'plain', msg('Still running')],
  finished: [Check, 'good', msg('Finished')],
  lost: [CircleHelp, 'open', msg('Lost: outcome unknown')],
  resolved: [Check, 'good', msg('A person wrote down what happened')],
  revealed: [Eye, 'warn', msg('A masked value was looked at')],
  questioned: [MessageCircleQuestion, 'accent', msg('The agent was asked something')],
  replied: [MessageCircleReply, 'plain', msg('The question was replied to')],
  commented: [MessageSquare, 'plain', msg('A comment')],
  assigned: [UserCheck, 'plain', msg('Assigned')],
  late: [Clock, 'plain', msg('An answer came too late')],
  'grant.minted': [KeyRound, 'accent', msg('A grant was made')],
  'grant.used': [KeyRound, 'plain', msg('A grant was used')],
  'grant.revoked': [KeyRound, 'warn', msg('A grant was revoked')],
  'grant.expired': [KeyRound, 'plain', msg('A grant ended')],
  'grant.erased': [KeyRound, 'plain', msg('What a grant was about was erased')],
  'lock.set': [Lock, 'warn', msg('A lock was set')],
  'lock.lifted': [Lock, 'plain', msg('A lock was lifted')],
  'hold.placed': [Lock, 'warn', msg('A legal hold was placed')],
  'hold.released': [Lock, 'plain', msg('A legal hold was released')],
  'person.added': [Users, 'plain', msg('A person was added')],
  'person.changed': [Users, 'plain', msg('A person’s roles changed')],
  'person.removed': [Users, 'warn', msg('A person was removed')],
  'person.erased': [Users, 'warn', msg('A person was erased')],
  'invite.made': [Users, 'warn', msg('A person was invited')],
  'invite.revoked': [Users, 'plain', msg('An invitation was revoked')],
  'standin.set': [Users, 'plain', msg('A stand-in was named')],
  'standin.ended': [Users, 'plain', msg('A stand-in ended')],
  'session.started': [Users, 'plain', msg('Signed in')],
  'session.ended': [Users, 'plain', msg('Signed out')],
  'passkey.added': [KeyRound, 'plain', msg('A passkey was added')],
  'passkey.removed': [KeyRound, 'plain', msg('A passkey was removed')],
  'channel.linked': [Users, 'warn', msg('An account of a chat was linked')],
  'channel.unlinked': [Users, 'plain', msg('An account of a chat was unlinked')],
  'token.created': [KeyRound, 'plain', msg('A token was made')],
  'token.revoked': [KeyRound, 'warn', msg('A token was revoked')],
  'key.rotated': [KeyRound, 'plain', msg('A signing key was made')],
  'key.revoked': [KeyRound, 'warn', msg('A signing key was revoked')],
  'client.allowed': [KeyRound, 'warn', msg('An MCP client was allowed')],
  'client.refused': [KeyRound, 'plain', msg('An MCP client was refused')],
  'policy.loaded': [FileText, 'plain', msg('The first policy came into force')],
  'policy.applied': [FileText, 'warn', msg('Another policy came into force')],
  'studio.published': [Wrench, 'good', msg('A tool was published')],
  'studio.unpublished': [Wrench, 'warn', msg('A tool was unpublished')],
  'studio.secret': [KeyRound, 'warn', msg('A secret of a tool was changed')],
  'models.set': [KeyRound, 'warn', msg('A server of models was set up')],
  'models.removed': [KeyRound, 'plain', msg('A server of models was removed')],
  'studio.tried': [Wrench, 'plain', msg('A draft was run that reaches hosts')],
  'policy.drafted': [FileText, 'plain', msg('The policy file was written, as a draft')],
  'proposal.dismissed': [FileText, 'plain', msg('A proposal for the policy was dismissed')],
  'attempt.refused': [Ban, 'warn', msg('An attempt was refused')],
  'calls.counted': [Link2, 'plain', msg('Calls that were let through or denied, counted')],
  'server.tried': [Wrench, 'warn', msg('A command was started to see its tools')],
  'server.signed_in': [KeyRound, 'accent', msg('An admin signed in at a server')],
  'server.signed_out': [KeyRound, 'plain', msg('An admin signed out of a server')],
  'switch.set': [FileText, 'warn', msg('A switch was set')],
  'switch.cleared': [FileText, 'plain', msg('A switch was cleared')],
  'chain.started': [Link2, 'plain', msg('A process began its chain')],
  'chain.linked': [Link2, 'plain', msg('Chains were linked')],
}

export function eventLook(type: string): EventLook {
  const look = Object.hasOwn(LOOKS, type) ? LOOKS[type] : undefined
  return look === undefined ? [Inbox, 'plain', type] : [look[0], look[1], say(look[2])]
}

const SYSTEMS: Readonly<Record<string, Message>> = {
  gate: msg('Countersign'),
  clock: msg('The clock'),
  sweeper: msg('Countersign, looking after what is due'),
}

/** The actor's name when it was not a person. */
export function systemName(name: string): string | undefined {
  const known = Object.hasOwn(SYSTEMS, name) ? SYSTEMS[name] : undefined
  return known === undefined ? undefined : say(known)
}

const SURE: Readonly<Record<string, Message>> = {
  passkey: msg('with a passkey'),
  'signed-in': msg('signed in'),
  chat: msg('in a chat'),
  elicitation: msg('in the MCP client'),
}

/** How sure it is that it was this person; words of a newer server are shown as they are. */
export function assuranceWords(assurance: string | undefined): string | undefined {
  const known =
    assurance !== undefined && Object.hasOwn(SURE, assurance) ? SURE[assurance] : undefined
  return known === undefined ? assurance : say(known)
}
