import { RISKS } from '../base/risk.ts'
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
import {
  type Approver,
  type EditPath,
  type EditRule,
  type Escalation,
  type QuorumPart,
  REASON_RULES,
  type Requirement,
  type Terms,
} from './people/requirement.ts'
import {
  either,
  flag,
  list,
  Mismatch,
  members,
  oneOf,
  optional,
  type Reader,
  text,
  whole,
  yes,
} from './shape.ts'

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

const approver: Reader<Approver> = (value) => (value === '*' ? '*' : named(value))

const named = either(
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
})

const decision: Reader<Decision> = members<Decision>({
  by: person,
  verdict: oneOf(['approve', 'deny']),
  digest,
  seen: digest,
  at: time,
  reasoned: flag,
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
