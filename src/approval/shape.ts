import { RISKS } from '../base/call.ts'
import { isPlainObject } from '../base/json/json.ts'
import {
  type Approver,
  type EditPath,
  type EditRule,
  type Escalation,
  type QuorumPart,
  REASON_RULES,
  type Requirement,
  type Terms,
} from '../base/oversight.ts'
import {
  type Approval,
  type AskedCall,
  type Decision,
  type Escalated,
  EXECUTION_STATES,
  type Execution,
  STATUS_REASONS,
  STATUSES,
  type Unreachable,
} from './approval.ts'
import {
  type Absent,
  ASSURANCES,
  type Person,
  type PersonId,
  type PersonName,
  ROLES,
} from './people/person.ts'
import { type Assigned, MAX_REMARKS, REMARK_KINDS, type Remark } from './talk.ts'

/** Reads a value as a fresh copy of exactly the shape asked for, or throws a `Mismatch`. */
export type Reader<T> = (value: unknown) => T

/** What was wrong, and where. Never leaves this folder: `step` answers it as a refusal. */
export class Mismatch extends Error {
  /** Filled in on the way out, so that reading what is right costs nothing for it. */
  path = ''

  get sentence(): string {
    return `${this.path.replace(/^\./, '')}: ${this.message}`
  }
}

function inside<T>(error: T, name: string): T {
  if (error instanceof Mismatch) error.path = name + error.path
  return error
}

/** Text that every database and every reader keeps as it is. */
export function text(max: number, pattern?: RegExp): Reader<string> {
  return (value) => {
    if (typeof value !== 'string' || value.length > max) {
      throw new Mismatch(`text of at most ${max} characters is needed`)
    }
    if (pattern ? !pattern.test(value) : value.includes('\0')) {
      throw new Mismatch(
        pattern ? `text like ${pattern.source} is needed` : 'text without NUL is needed',
      )
    }
    if (!value.isWellFormed()) throw new Mismatch('halves of surrogate pairs are not text')
    return value
  }
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (value) => {
    if (!words.includes(value as T)) throw new Mismatch(`one of ${words.join(', ')} is needed`)
    return value as T
  }
}

export function whole(min: number, max: number): Reader<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      throw new Mismatch(`a whole number from ${min} to ${max} is needed`)
    }
    return value
  }
}

export const flag: Reader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new Mismatch('true or false is needed')
  return value
}

export const yes: Reader<true> = (value) => {
  if (value !== true) throw new Mismatch('true is needed, or nothing')
  return true
}

export function list<T>(item: Reader<T>, min: number, max: number): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      throw new Mismatch(`a list of ${min} to ${max} items is needed`)
    }
    const copy: T[] = []
    try {
      for (const one of value as readonly unknown[]) copy.push(item(one))
    } catch (error) {
      throw inside(error, `[${copy.length}]`)
    }
    return copy
  }
}

/** An object with any names, each holding the same kind of thing. */
export function named<T>(item: Reader<T>, max: number): Reader<{ readonly [name: string]: T }> {
  return (value) => {
    if (!isPlainObject(value)) throw new Mismatch('an object is needed')
    const names = Object.keys(value)
    if (names.length > max) throw new Mismatch(`an object of at most ${max} members is needed`)
    return Object.fromEntries(names.map((name) => [name, item(value[name])]))
  }
}

const optionals = new WeakSet<object>()

/** A member that may be missing. Present but undefined is the same as missing. */
export function optional<T>(reader: Reader<T>): Reader<T> {
  const marked: Reader<T> = (value) => reader(value)
  optionals.add(marked)
  return marked
}

/** An object with these members and no others: an unknown name is refused, not ignored. */
export function members<T extends object>(
  readers: {
    readonly [K in keyof T]-?: Reader<Exclude<T[K], undefined>>
  },
): Reader<T> {
  const known = Object.entries<Reader<unknown>>(readers).map(([name, read]) => ({
    name,
    read,
    optional: optionals.has(read),
  }))
  const names = new Set(Object.keys(readers))
  return (value) => {
    if (!isPlainObject(value)) throw new Mismatch('an object is needed')
    const copy: Record<string, unknown> = {}
    let at = ''
    try {
      for (at of Object.keys(value)) {
        if (!names.has(at)) throw new Mismatch('no such member is known')
      }
      for (const { name, read, optional: mayMiss } of known) {
        at = name
        const member = Object.hasOwn(value, name) ? value[name] : undefined
        if (member !== undefined || !mayMiss) copy[name] = read(member)
      }
    } catch (error) {
      throw inside(error, `.${at}`)
    }
    return copy as T
  }
}

/** Tells kinds of objects apart by which of two members they have. */
export function either<A, B>(has: string, one: Reader<A>, other: Reader<B>): Reader<A | B> {
  return (value) => (isPlainObject(value) && Object.hasOwn(value, has) ? one(value) : other(value))
}

const YEAR = 365 * 86_400_000

export const MAX_DECISIONS = 500
export const MAX_REQUIREMENTS = 1_000
export const MAX_EDITED = 10_000
/** How many people one person stands in for at once. */
export const MAX_ABSENT = 50

export const id = text(128, /^[A-Za-z0-9_.:-]+$/)
export const digest = text(64, /^[0-9a-f]{64}$/)
// NUL is left out because Postgres cannot keep it.
export const name = text(1024, /^[^\0]+$/)
export const time = whole(0, 8.64e15)
export const duration = whole(1, YEAR)
export const path = list(text(1024), 0, 64)

export const personName: Reader<PersonName> = members<PersonName>({
  issuer: optional(name),
  subject: name,
  email: optional(name),
})

export const personId: Reader<PersonId> = members<PersonId>({ issuer: name, subject: name })

const known = {
  issuer: name,
  subject: name,
  email: optional(name),
  emailVerified: optional(flag),
  groups: list(name, 0, 10_000),
  locked: optional(flag),
}

export const person: Reader<Person> = members<Person>({
  ...known,
  roles: list(oneOf(ROLES), 0, ROLES.length),
  assurance: oneOf(ASSURANCES),
  for: optional(list(members<Absent>({ ...known, standIn: id }), 0, MAX_ABSENT)),
})

const approver: Reader<Approver> = (value) => (value === '*' ? '*' : namedApprover(value))

const namedApprover = either(
  'email',
  members<{ readonly email: string }>({ email: name }),
  members<{ readonly group: string }>({ group: name }),
)

export const requirement: Reader<Requirement> = members<Requirement>({
  source: name,
  rule: name,
  level: oneOf(['confirm', 'review']),
  approvers: list(approver, 0, 1_000),
  quorum: list(members<QuorumPart>({ group: name, n: whole(1, 100) }), 0, 64),
  escalate: list(
    members<Escalation>({ after: duration, to: approver, for: optional(name) }),
    0,
    32,
  ),
})

const editPaths = list(members<EditPath>({ text: text(1024), keys: path }), 0, 1_000)

const editRule: Reader<EditRule> = (value) =>
  typeof value === 'boolean' ? value : editPaths(value)

export const terms: Reader<Terms> = members<Terms>({
  decideBy: duration,
  useBy: duration,
  waitFor: optional(duration),
  remindAfter: optional(duration),
  minAssurance: oneOf(ASSURANCES),
  reason: oneOf(REASON_RULES),
  edit: editRule,
  grants: flag,
})

export const askedCall: Reader<AskedCall> = members<AskedCall>({
  kind: oneOf(['tool', 'agent', 'skill']),
  door: name,
  server: optional(name),
  tool: name,
  definition: digest,
  agent: name,
  alias: optional(name),
  principal: optional(personName),
  requester: optional(personName),
  run: optional(name),
  key: optional(name),
  batch: optional(name),
  risk: optional(oneOf(RISKS)),
  looks: optional(oneOf(RISKS)),
  form: optional(digest),
  preview: optional(digest),
})

const decision: Reader<Decision> = members<Decision>({
  by: person,
  verdict: oneOf(['approve', 'deny']),
  digest,
  seen: digest,
  at: time,
  reasoned: flag,
  answers: optional(digest),
  void: optional(yes),
  content: optional(list(text(256), 0, 8)),
  grant: optional(id),
})

const execution: Reader<Execution> = members<Execution>({
  state: oneOf(EXECUTION_STATES),
  claim: id,
  claimedAt: time,
  startBy: time,
  instance: optional(id),
  leaseUntil: optional(time),
  lostAt: optional(time),
  endedAt: optional(time),
  late: optional(yes),
  resolvedBy: optional(personId),
  result: optional(text(256)),
  noResult: optional(oneOf(['dropped', 'too_large', 'invalid'])),
})

const fields: Reader<Approval> = members<Approval>({
  id,
  tenant: id,
  revision: whole(1, Number.MAX_SAFE_INTEGER - 1),
  status: oneOf(STATUSES),
  reason: optional(oneOf(STATUS_REASONS)),
  execution: optional(execution),
  call: askedCall,
  digest,
  askedDigest: digest,
  edited: list(path, 0, MAX_EDITED),
  level: oneOf(['confirm', 'review']),
  requirements: list(requirement, 1, MAX_REQUIREMENTS),
  terms,
  policy: name,
  // One more than there is room for, because a full record can still be denied.
  decisions: list(decision, 0, MAX_DECISIONS + 1),
  escalated: list(
    members<Escalated>({
      requirement: whole(0, 1_000),
      step: whole(0, 32),
      at: time,
      by: optional(personId),
    }),
    0,
    32_000,
  ),
  reminders: whole(0, Number.MAX_SAFE_INTEGER - 1),
  askedAt: time,
  decideBy: time,
  remindedAt: optional(time),
  decidedAt: optional(time),
  useBy: optional(time),
  changedAt: time,
  grant: optional(id),
  lifted: optional(members<NonNullable<Approval['lifted']>>({ at: time, by: personId })),
  unreachable: optional(
    members<Unreachable>({ rule: name, says: text(16_384), at: time, over: optional(yes) }),
  ),
  talk: optional(
    list(
      members<Remark>({
        kind: oneOf(REMARK_KINDS),
        by: optional(personId),
        at: time,
        content: text(256),
      }),
      0,
      MAX_REMARKS,
    ),
  ),
  assigned: optional(
    members<Assigned>({ to: optional(personId), email: optional(name), by: personId, at: time }),
  ),
})

/** A record that contradicts itself decides nothing. */
export const record: Reader<Approval> = (value) => {
  const approval = fields(value)
  const { status, execution: run, reason, useBy, decidedAt } = approval
  const explained = status === 'expired' || status === 'invalidated'
  if (
    (run !== undefined && status !== 'approved') ||
    explained !== (reason !== undefined) ||
    (status === 'approved' && (useBy === undefined || decidedAt === undefined))
  ) {
    throw new Mismatch('status, reason, clocks and execution contradict each other')
  }
  return approval
}
