import { type PersonId, samePerson } from '../../../approval/people/person.ts'
import {
  type ApprovalFilter,
  ApprovalsReport,
  answeredBy,
  type ReportedApproval,
} from './approvals-report.ts'
import {
  isWithin,
  nameOf,
  numberFact,
  personOf,
  type ReportEntry,
  subjectOf,
  textFact,
} from './entry.ts'

/** Separation of duties: who asked, who decided, who set the rules, and where these meet. */
export interface DutiesReport {
  /** Calls that a person or a grant answered. */
  readonly answered: number
  readonly findings: readonly Finding[]
  /** Attempts to decide without the right, by person and code. */
  readonly refused: readonly RefusedAttempts[]
  readonly deciders: readonly Decider[]
}

/**
 * `self_approved`: the acting user of a call that needs others answered it alone; the gate refuses it, so
 * none is expected. `own_policy`: a decider had put the policy of the call into force.
 * `admitted`: a decider was added or given roles by another decider of the same call.
 */
export type FindingKind = 'self_approved' | 'own_policy' | 'admitted'

export interface Finding {
  readonly kind: FindingKind
  readonly approval: string
  readonly tool: string
  readonly at: number
  readonly person: string
  /** The other person, or the policy. */
  readonly with: string
}

export interface RefusedAttempts {
  readonly person: string
  readonly code: string
  readonly count: number
}

export interface Decider {
  readonly person: string
  readonly approved: number
  readonly denied: number
  /** Of all answers in the period, as a share of one. */
  readonly share: number
}

const RIGHTS = new Set(['self_approval', 'not_an_approver', 'not_permitted', 'assurance_too_low'])

/** Reads every entry once; what happened before the period says who had set which rules. */
export class DutiesReview {
  readonly #filter: ApprovalFilter
  readonly #approvals: ApprovalsReport
  readonly #appliedBy = new Map<string, PersonId[]>()
  readonly #admittedBy = new Map<string, PersonId[]>()
  readonly #refused = new Map<string, RefusedAttempts>()

  constructor(filter: ApprovalFilter) {
    this.#filter = filter
    this.#approvals = new ApprovalsReport(filter)
  }

  take(entry: ReportEntry): void {
    this.#approvals.take(entry)
    const { event } = entry
    const actor = personOf(event.by)
    if (event.type === 'policy.applied' && actor) {
      add(this.#appliedBy, [event.tenant, textFact(event, 'policy') ?? ''], actor)
    }
    const about = subjectOf(event)
    if ((event.type === 'person.added' || event.type === 'person.changed') && actor && about) {
      add(this.#admittedBy, [event.tenant, about.issuer, about.subject], actor)
    }
    const code = textFact(event, 'code')
    if (event.type !== 'attempt.refused' || !actor || code === undefined) return
    const { tenant } = this.#filter
    const isWanted = tenant === undefined || event.tenant === tenant
    if (!isWanted || !RIGHTS.has(code) || !isWithin(event.at, this.#filter)) return
    const person = nameOf(actor)
    const key = JSON.stringify([event.tenant, person, code])
    const count = (this.#refused.get(key)?.count ?? 0) + (numberFact(event, 'count') ?? 1)
    this.#refused.set(key, { person, code, count })
  }

  result(): DutiesReport {
    const answered = this.#approvals
      .result()
      .filter(({ answers, grant }) => answers.length > 0 || grant)
    return {
      answered: answered.length,
      findings: answered.flatMap((one) => this.#findingsOf(one)),
      refused: [...this.#refused.values()],
      deciders: decidersOf(answered),
    }
  }

  #findingsOf(one: ReportedApproval): Finding[] {
    const { approval, tool, askedAt, tenant, principal, level, policy, status } = one
    const deciders = one.grant ? [one.grant.by] : answeredBy(one)
    const base = { approval, tool, at: one.decidedAt ?? askedAt }
    const finding = (kind: FindingKind, person: PersonId, other: string): Finding => ({
      ...{ kind, ...base, person: nameOf(person), with: other },
    })
    const appliers = this.#appliedBy.get(JSON.stringify([tenant, policy])) ?? []
    return deciders.flatMap((person) => {
      const { issuer, subject } = person
      const admitters = this.#admittedBy.get(JSON.stringify([tenant, issuer, subject])) ?? []
      const isSelf =
        level === 'review' &&
        status !== 'denied' &&
        principal !== undefined &&
        samePerson(person, principal)
      return [
        ...(isSelf ? [finding('self_approved', person, nameOf(person))] : []),
        ...(has(appliers, person) ? [finding('own_policy', person, policy)] : []),
        ...deciders
          .filter((other) => !samePerson(other, person) && has(admitters, other))
          .map((other) => finding('admitted', person, nameOf(other))),
      ]
    })
  }
}

function has(people: readonly PersonId[], person: PersonId): boolean {
  return people.some((one) => samePerson(one, person))
}

function add(all: Map<string, PersonId[]>, key: readonly string[], person: PersonId): void {
  const name = JSON.stringify(key)
  const known = all.get(name) ?? []
  if (!has(known, person)) all.set(name, [...known, person])
}

function decidersOf(approvals: readonly ReportedApproval[]): Decider[] {
  const counts = new Map<string, { approved: number; denied: number }>()
  for (const { by, verdict } of approvals.flatMap(({ answers }) => answers)) {
    const name = nameOf(by)
    const count = counts.get(name) ?? { approved: 0, denied: 0 }
    if (verdict === 'approve' || verdict === 'edit') count.approved += 1
    else count.denied += 1
    counts.set(name, count)
  }
  const all = [...counts.values()].reduce((sum, { approved, denied }) => sum + approved + denied, 0)
  return [...counts]
    .map(([person, { approved, denied }]) => {
      return { person, approved, denied, share: (approved + denied) / all }
    })
    .sort((one, two) => two.share - one.share)
}
