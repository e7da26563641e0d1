import { type PersonId, samePerson } from '../../../approval/people/person.ts'
import {
  actorName,
  isWithin,
  listFact,
  memberText,
  nameOf,
  numberFact,
  type Period,
  personOf,
  type ReportEntry,
  textFact,
} from './entry.ts'

/** Who was asked about what, who answered how, and what became of it. */
export interface ReportedApproval {
  readonly approval: string
  readonly tenant: string
  readonly askedAt: number
  readonly agent: string
  /** The acting user, where an authenticated one was named. */
  readonly principal?: PersonId
  readonly server?: string
  readonly tool: string
  readonly level: string
  /** The policy that asked, by its name on record, and its rules. */
  readonly policy: string
  readonly rules: readonly string[]
  readonly decideBy?: number
  /** What ran, or would have run: the digest that the last answer was about. */
  digest: string
  status: string
  reason?: string
  execution?: string
  decidedAt?: number
  /** The grant that answered in place of people, and who made it. */
  grant?: { readonly id: string; readonly by: PersonId }
  claimedAt?: number
  finishedAt?: number
  readonly answers: ReportedAnswer[]
  readonly events: ReportedStep[]
  /** The words that people read, where content is in the record and was not erased. */
  readonly question?: string
}

export interface ReportedAnswer {
  readonly at: number
  readonly by: PersonId
  readonly verdict: 'approve' | 'edit' | 'deny' | 'revoke'
  readonly assurance?: string
  readonly digest?: string
  /** In whose place they answered. */
  readonly for: readonly string[]
  readonly reason?: string
}

export interface ReportedStep {
  readonly at: number
  readonly type: string
  readonly by: string
  readonly code?: string
  /** Names the entry in the record. */
  readonly entry: string
}

export interface ApprovalFilter extends Period {
  readonly approval?: string | undefined
  readonly tool?: string | undefined
  readonly agent?: string | undefined
  /** The subject of a person who answered. */
  readonly person?: string | undefined
  readonly tenant?: string | undefined
}

const VERDICTS: Readonly<Record<string, ReportedAnswer['verdict']>> = {
  decided: 'approve',
  edited: 'edit',
  denied: 'deny',
  invalidated: 'revoke',
}

/** Reads every entry once, in the order of the record. */
export class ApprovalsReport {
  readonly #filter: ApprovalFilter
  readonly #found = new Map<string, ReportedApproval>()

  constructor(filter: ApprovalFilter) {
    this.#filter = filter
  }

  take(entry: ReportEntry): void {
    const { event } = entry
    if (event.approval === undefined || event.grant !== undefined) return
    const key = JSON.stringify([event.tenant, event.approval])
    if (event.type === 'requested') {
      const asked = askedBy(entry, event.approval)
      if (this.#isWanted(asked)) this.#found.set(key, asked)
    }
    const found = this.#found.get(key)
    if (found) change(found, entry)
  }

  /** Oldest first. */
  result(): ReportedApproval[] {
    const { person } = this.#filter
    const found = [...this.#found.values()].filter(
      ({ answers }) => person === undefined || answers.some(({ by }) => by.subject === person),
    )
    return found.sort((one, two) => one.askedAt - two.askedAt)
  }

  #isWanted({ approval, tool, agent, tenant, askedAt }: ReportedApproval): boolean {
    const wanted = this.#filter
    return (
      (wanted.approval === undefined || approval === wanted.approval) &&
      (wanted.tool === undefined || tool === wanted.tool) &&
      (wanted.agent === undefined || agent === wanted.agent) &&
      (wanted.tenant === undefined || tenant === wanted.tenant) &&
      isWithin(askedAt, wanted)
    )
  }
}

function askedBy({ event, content }: ReportEntry, approval: string): ReportedApproval {
  const issuer = textFact(event, 'issuer')
  const subject = textFact(event, 'principal')
  const server = textFact(event, 'server')
  const decideBy = numberFact(event, 'decideBy')
  const question = memberText(content('question'), 'message')
  return {
    approval,
    tenant: event.tenant,
    askedAt: event.at,
    agent: textFact(event, 'agent') ?? '',
    ...(issuer === undefined || subject === undefined ? {} : { principal: { issuer, subject } }),
    ...(server === undefined ? {} : { server }),
    tool: textFact(event, 'tool') ?? '',
    level: textFact(event, 'level') ?? '',
    policy: textFact(event, 'policy') ?? '',
    rules: listFact(event, 'rules'),
    ...(decideBy === undefined ? {} : { decideBy }),
    digest: event.digest ?? '',
    status: 'pending',
    answers: [],
    events: [],
    ...(question === undefined ? {} : { question }),
  }
}

function change(found: ReportedApproval, { hash, event, content }: ReportEntry): void {
  const { type, at, code, digest, assurance } = event
  found.status = event.status ?? found.status
  found.events.push({
    ...{ at, type, by: actorName(event.by) },
    ...(code === undefined ? {} : { code }),
    entry: hash,
  })
  const person = personOf(event.by)
  const verdict = Object.hasOwn(VERDICTS, type) ? VERDICTS[type] : undefined
  if (person && verdict) {
    const reason = content('reason')
    found.answers.push({
      ...{ at, by: person, verdict, for: listFact(event, 'for') },
      ...(assurance === undefined ? {} : { assurance }),
      ...(digest === undefined ? {} : { digest }),
      ...(typeof reason === 'string' ? { reason } : {}),
    })
  }
  switch (type) {
    case 'edited':
      if (digest !== undefined) found.digest = digest
      return
    case 'approved': {
      found.decidedAt = at
      const [id, issuer, minter] = ['grant', 'issuer', 'minter'].map((name) =>
        textFact(event, name),
      )
      if (id !== undefined && issuer !== undefined && minter !== undefined) {
        found.grant = { id, by: { issuer, subject: minter } }
      }
      return
    }
    case 'denied':
    case 'expired':
    case 'withdrawn':
    case 'invalidated':
      found.decidedAt ??= at
      if (code !== undefined) found.reason = code
      return
    case 'claimed':
      found.claimedAt = at
      found.execution = 'running'
      return
    case 'finished':
    case 'resolved':
      found.finishedAt = at
      if (code !== undefined) found.execution = code
      return
    case 'lost':
      found.execution = 'unknown'
  }
}

/** Everyone who approved, edited or denied it, once each. */
export function answeredBy({ answers }: Pick<ReportedApproval, 'answers'>): PersonId[] {
  const people: PersonId[] = []
  for (const { by } of answers) if (!people.some((one) => samePerson(one, by))) people.push(by)
  return people
}

export function decidersText(approval: ReportedApproval): string {
  const { grant } = approval
  return grant ? `grant of ${nameOf(grant.by)}` : answeredBy(approval).map(nameOf).join(', ')
}
