import type { PersonId } from '../../../approval/people/person.ts'
import type { Actor, Event } from '../../../approval/transition.ts'
import { isPlainObject, type Json } from '../../../base/json/json.ts'
import type { AdminEvent } from '../../../store/audit/audit-entry.ts'
import type { RecordState } from '../../../store/audit/audited-records.ts'
import type { EntryRecord } from '../audit-records.ts'

/** An entry of a record that was verified, as far as reports read it. */
export interface ReportEntry {
  readonly hash: string
  readonly event: ReportedEvent
  /** What it did to people, tokens, passkeys and other records, by their ids. */
  readonly records: readonly RecordState[]
  /** Content of the entry that was not erased, by the kind that ends its key. */
  content(kind: string): Json | undefined
}

/** Events of approvals, grants, chains and admins alike. A report reads what it knows. */
export interface ReportedEvent {
  readonly type: string
  readonly tenant: string
  readonly at: number
  readonly by?: Actor
  readonly approval?: string
  readonly grant?: string
  readonly status?: string
  readonly assurance?: string
  readonly digest?: string
  readonly code?: string
  readonly facts?: Event['facts'] | AdminEvent['facts']
}

export function entryOf({ hash, text, content }: EntryRecord): ReportEntry {
  const { event, records = [] } = JSON.parse(text) as {
    readonly event: ReportedEvent
    readonly records?: readonly RecordState[]
  }
  return {
    ...{ hash, event, records },
    content: (kind) => Object.entries(content).find(([key]) => key.endsWith(`/${kind}`))?.[1].value,
  }
}

/** Which entries a report is about: from `since` on, and before `until`. */
export interface Period {
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export function isWithin(at: number, { since, until }: Period): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

export function personOf(by: Actor | undefined): PersonId | undefined {
  return by && 'person' in by ? by.person : undefined
}

/** One spelling for a person in all reports: the subject, and who vouches for it. */
export function nameOf({ issuer, subject }: PersonId): string {
  return issuer === 'local' ? subject : `${subject} (${issuer})`
}

export function actorName(by: Actor | undefined): string {
  if (by === undefined) return ''
  if ('person' in by) return nameOf(by.person)
  return 'agent' in by ? `agent ${by.agent}` : by.system
}

/** A fact that is a text; entries of another shape have none. */
export function textFact({ facts }: ReportedEvent, name: string): string | undefined {
  const value = facts && Object.hasOwn(facts, name) ? facts[name] : undefined
  return typeof value === 'string' ? value : undefined
}

export function numberFact({ facts }: ReportedEvent, name: string): number | undefined {
  const value = facts && Object.hasOwn(facts, name) ? facts[name] : undefined
  return typeof value === 'number' ? value : undefined
}

export function listFact({ facts }: ReportedEvent, name: string): readonly string[] {
  const value = facts && Object.hasOwn(facts, name) ? facts[name] : undefined
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The person that an admin event is about. */
export function subjectOf(event: ReportedEvent): PersonId | undefined {
  const issuer = textFact(event, 'issuer')
  const subject = textFact(event, 'subject')
  return issuer === undefined || subject === undefined ? undefined : { issuer, subject }
}

/** A text out of content of an object, such as the message of a question. */
export function memberText(value: Json | undefined, name: string): string | undefined {
  const found = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof found === 'string' ? found : undefined
}
