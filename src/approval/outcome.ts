import type { ErrorCode } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { Approval } from './approval.ts'
import { personId } from './people/identity.ts'
import type { Person } from './people/person.ts'
import type { Actor, Content, ContentKind, Event, Transition } from './transition.ts'

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
  const known = Object.entries(facts).flatMap(([name, fact]) =>
    fact === undefined ? [] : [[name, fact]],
  )
  return Object.fromEntries(known) as Facts
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
  { type, ...draft }: Draft,
  index: number,
  approval: Approval,
  command: string,
  now: number,
): Event {
  return {
    type,
    tenant: approval.tenant,
    approval: approval.id,
    revision: approval.revision,
    command,
    index,
    at: now,
    status: approval.status,
    ...(approval.execution ? { execution: approval.execution.state } : {}),
    ...draft,
  }
}
