import type { ErrorCode } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { Approval, ExecutionState, Status } from './approval.ts'
import { type Assurance, type Person, type PersonId, personId } from './people/person.ts'

/**
 * What one command did. A refusal can carry a change as well: a claim that finds its policy
 * tightened is refused and ends the approval, a late answer is refused and recorded. So the store
 * writes `approval` whenever its revision moved, and `events` always.
 */
export type Transition = Accepted | Refused

export interface Accepted {
  readonly ok: true
  /** The approval as it is now; the very same object when nothing changed. */
  readonly approval: Approval
  readonly events: readonly Event[]
  readonly content: readonly Content[]
}

export interface Refused {
  readonly ok: false
  readonly code: ErrorCode
  readonly message: string
  /** Present when the clock or the command changed the approval although it was refused. */
  readonly approval?: Approval
  readonly events: readonly Event[]
}

export const EVENT_TYPES = [
  'requested',
  'decided',
  'approved',
  'denied',
  'edited',
  'extended',
  'lifted',
  'reminded',
  'escalated',
  'unreachable',
  'reachable',
  'expired',
  'withdrawn',
  'invalidated',
  'claimed',
  'renewed',
  'finished',
  'lost',
  'resolved',
  'revealed',
  'questioned',
  'replied',
  'commented',
  'assigned',
  'late',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * One line of the audit. Ids, codes and digests only: what a person wrote or an agent sent is
 * named in `content` by key, and the store seals it there with a salted hash.
 */
export interface Event {
  readonly type: EventType
  readonly tenant: string
  readonly approval: string
  /** Of the approval after this step. A late answer changes nothing and repeats it. */
  readonly revision: number
  /** Several events can come of one command; (command, index) is unique. */
  readonly command: string
  readonly index: number
  readonly at: number
  readonly status: Status
  readonly execution?: ExecutionState
  readonly by: Actor
  readonly assurance?: Assurance
  readonly digest?: string
  /** Status reason, refusal code or outcome: why, in one word. */
  readonly code?: string
  /** Further ids and numbers, by type. */
  readonly facts?: { readonly [name: string]: string | number | boolean | readonly string[] }
  /** Keys of content written in the same transaction. */
  readonly content?: readonly string[]
}

export type Actor =
  | { readonly person: PersonId }
  | { readonly agent: string }
  | { readonly system: 'gate' | 'clock' | 'sweeper' | 'operator' }

/** A person who can open the database from a terminal of its machine. */
export const OPERATOR: Actor = { system: 'operator' }

export type ContentKind =
  | 'arguments'
  | 'question'
  | 'definition'
  | 'reason'
  | 'payload'
  | 'answer'
  | 'result'
  | 'note'
  | 'remark'
  /** A text of a policy that came into force. Kept for as long as the record. */
  | 'policy'

/** Something that can be erased without touching the approval or its events. */
export interface Content {
  /** Unique within the tenant: `<approval>/<revision>/<kind>`. */
  readonly key: string
  readonly kind: ContentKind
  /** `arguments` is canonical JSON text as a string: the digested bytes themselves. */
  readonly value: Json
}

/** What a rule says about an event; ids, time and resulting status are filled in once, at the end. */
export type Draft = Pick<
  Event,
  'type' | 'by' | 'assurance' | 'digest' | 'code' | 'facts' | 'content'
>

/** Everything a rule may change. Identity, revision and times of change are not its business. */
export type Changes = Partial<
  Omit<Approval, 'id' | 'tenant' | 'revision' | 'call' | 'askedDigest' | 'askedAt' | 'changedAt'>
>

/** What one rule answers, before it is turned into a transition. */
export type Outcome =
  | {
      readonly ok: true
      readonly changes?: Changes
      readonly drafts?: readonly Draft[]
      readonly content?: readonly Content[]
    }
  | {
      readonly ok: false
      readonly code: ErrorCode
      readonly message: string
      readonly changes?: Changes
      readonly drafts?: readonly Draft[]
    }

/** Accepted, and nothing new: the same command had its effect before. */
export const UNCHANGED: Outcome = { ok: true }

export function change(
  changes: Changes,
  drafts: readonly Draft[],
  content: readonly Content[] = [],
): Outcome {
  return { ok: true, changes, drafts, content }
}

export function refuse(code: ErrorCode, message: string, drafts: readonly Draft[] = []): Outcome {
  return { ok: false, code, message, drafts }
}

/** Refused, and the approval ends because of what the refusal found. */
export function refuseAndEnd(
  code: ErrorCode,
  message: string,
  changes: Changes,
  drafts: readonly Draft[],
): Outcome {
  return { ok: false, code, message, changes, drafts }
}

export function byPerson(person: Person): Pick<Event, 'by' | 'assurance'> {
  return { by: { person: personId(person) }, assurance: person.assurance }
}

export function bySystem(system: 'gate' | 'clock' | 'sweeper'): { readonly by: Actor } {
  return { by: { system } }
}

/** Content that comes with the change being made, so it is named after the next revision. */
export function contentOf(
  { id, revision }: Pick<Approval, 'id' | 'revision'>,
  kind: ContentKind,
  value: Json | undefined,
): Content[] {
  return value === undefined ? [] : [{ key: `${id}/${revision + 1}/${kind}`, kind, value }]
}

export function keysOf(content: readonly Content[]): Pick<Event, 'content'> {
  return content.length === 0 ? {} : { content: content.map(({ key }) => key) }
}

type Facts = NonNullable<Event['facts']>

/** Facts without the unknown ones, since an event is JSON and JSON has no undefined. */
export function factsOf(facts: { readonly [name: string]: Facts[string] | undefined }): Facts {
  const known: Record<string, Facts[string]> = {}
  for (const name of Object.keys(facts).sort()) {
    const fact = facts[name]
    if (fact !== undefined) known[name] = fact
  }
  return known
}

export interface Moment {
  readonly commandId: string
  readonly now: number
}

/** The clock's changes and the rule's, as one step: revision up by one, or nothing touched. */
export function assemble(
  before: Approval,
  clock: { readonly changes?: Changes; readonly drafts: readonly Draft[] },
  outcome: Outcome,
  { commandId, now }: Moment,
): Transition {
  const changed = outcome.changes !== undefined || clock.changes !== undefined
  const changes = changed ? { ...clock.changes, ...outcome.changes } : undefined
  const approval: Approval = changes
    ? {
        ...before,
        ...changes,
        revision: before.revision + 1,
        changedAt: Math.max(before.changedAt, now),
      }
    : before
  const drafts = [...clock.drafts, ...(outcome.drafts ?? [])]
  const events = drafts.map((draft, index) => eventOf(draft, index, approval, commandId, now))
  if (outcome.ok) return { ok: true, approval, events, content: outcome.content ?? [] }
  const { code, message } = outcome
  return { ok: false, code, message, ...(changes ? { approval } : {}), events }
}

export function eventOf(
  { type, by, assurance, code, content, digest, facts }: Draft,
  index: number,
  approval: Approval,
  command: string,
  now: number,
): Event {
  const { id, execution, revision, status, tenant } = approval
  // Set in the order of their names: the chain hashes them so, and then need not sort them.
  const event: { -readonly [K in keyof Event]?: Event[K] } = { approval: id }
  if (assurance !== undefined) event.assurance = assurance
  event.at = now
  event.by = by
  if (code !== undefined) event.code = code
  event.command = command
  if (content !== undefined) event.content = content
  if (digest !== undefined) event.digest = digest
  if (execution) event.execution = execution.state
  if (facts !== undefined) event.facts = facts
  event.index = index
  event.revision = revision
  event.status = status
  event.tenant = tenant
  event.type = type
  return event as Event
}

/** What people hear of. The first nine make sense only while the call is pending. */
export const NOTICE_KINDS = [
  'asked',
  'changed',
  'reminded',
  'escalated',
  'voted',
  'assigned',
  'questioned',
  'replied',
  'commented',
  'approved',
  'denied',
  'unreachable',
  'expired',
  'withdrawn',
  'invalidated',
  'succeeded',
  'failed',
  'unknown',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** What was said about a call: it follows the question, and does not take its place. */
const TALK: readonly NoticeKind[] = ['assigned', 'questioned', 'replied', 'commented']

const QUESTIONS: readonly NoticeKind[] = [
  ...(['asked', 'changed', 'reminded', 'escalated', 'voted'] as const),
  ...TALK,
]

/** Something to tell people, without a word of what it is about: that is looked up when it is sent. */
export interface NoticeDraft {
  /** The same for every attempt to send it: receivers recognise a repetition by it. */
  readonly id: string
  readonly approval: string
  readonly kind: NoticeKind
  readonly revision: number
  readonly at: number
}

export function isQuestion(kind: NoticeKind): boolean {
  return QUESTIONS.includes(kind)
}

export function isTalk(kind: NoticeKind): boolean {
  return TALK.includes(kind)
}

/** None for a call that a grant covers: no person was asked, so none is notified. */
export function noticesOf(
  approval: Approval | undefined,
  events: readonly Event[],
): readonly NoticeDraft[] {
  if (approval === undefined || approval.grant !== undefined) return []
  const kinds = new Map<NoticeKind, Event>()
  for (const event of events) {
    const kind = kindOf(event)
    if (kind !== undefined) kinds.set(kind, event)
  }
  return [...kinds].map(([kind, { revision, at }]) => ({
    id: `${approval.id}-${revision}-${kind}`,
    approval: approval.id,
    kind,
    revision,
    at,
  }))
}

const SAME_WORD: readonly EventType[] = [
  'questioned',
  'replied',
  'commented',
  'reminded',
  'escalated',
  'unreachable',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
]

function kindOf({ type, status, execution, facts }: Event): NoticeKind | undefined {
  if (type === 'requested') return status === 'pending' ? 'asked' : undefined
  if (type === 'edited') return status === 'pending' ? 'changed' : undefined
  if (type === 'decided') {
    // A yes that leaves the question open: others see how far it has come.
    return status !== 'pending' ? undefined : facts?.voided ? 'changed' : 'voted'
  }
  if (type === 'finished' || type === 'resolved' || type === 'lost') {
    return execution === 'running' ? undefined : execution
  }
  // Taking it back from a person is no news for another.
  if (type === 'assigned') return facts?.to ? 'assigned' : undefined
  return SAME_WORD.includes(type) ? (type as NoticeKind) : undefined
}
