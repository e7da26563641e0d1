import type { AccessReport } from '../../gate/audit/report/access-report.ts'
import { decidersText, type ReportedApproval } from '../../gate/audit/report/approvals-report.ts'
import type { DutiesReport, FindingKind } from '../../gate/audit/report/duties-report.ts'
import { nameOf } from '../../gate/audit/report/entry.ts'
import type { ReportedHold } from '../../gate/audit/report/holds-report.ts'

/** A report as people and spreadsheets read it. */
export interface ReportTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** What it means that there is no row. */
  readonly none: string
}

const time = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString())

const SUMMED: readonly (readonly [string, (one: ReportedApproval) => string])[] = [
  ['asked', ({ askedAt }) => time(askedAt)],
  ['decided', ({ decidedAt }) => time(decidedAt)],
  ['status', ({ status, reason }) => [status, reason].filter(Boolean).join(': ')],
  ['execution', ({ execution = '' }) => execution],
  ['tool', ({ server, tool }) => (server === undefined ? tool : `${server} / ${tool}`)],
  ['agent', ({ agent }) => agent],
  ['for', ({ principal }) => (principal ? nameOf(principal) : '')],
  ['level', ({ level }) => level],
  ['answered by', decidersText],
  ['assurance', ({ answers }) => joined(answers.map(({ assurance = '' }) => assurance))],
  ['reasons', ({ answers }) => joined(answers.map(({ reason = '' }) => reason))],
  ['rules', ({ rules }) => rules.join(', ')],
  ['policy', ({ policy }) => policy],
  ['digest', ({ digest }) => digest],
  ['approval', ({ approval }) => approval],
  ['tenant', ({ tenant }) => tenant],
  ['question', ({ question = '' }) => question],
]

const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join('; ')

export function approvalTables(approvals: readonly ReportedApproval[]): ReportTable[] {
  return [
    {
      title: 'Calls that people were asked about',
      columns: SUMMED.map(([name]) => name),
      rows: approvals.map((one) => SUMMED.map(([, read]) => read(one))),
      none: 'No call was asked about in this period.',
    },
  ]
}

/** One call: what it was, every answer, and every step with its entry in the record. */
export function callTables(approval: ReportedApproval): ReportTable[] {
  return [
    {
      title: 'The call',
      columns: ['', ''],
      rows: SUMMED.map(([name, read]) => [name, read(approval)]).filter(([, text]) => text !== ''),
      none: '',
    },
    {
      title: 'Answers',
      columns: ['at', 'by', 'verdict', 'assurance', 'in place of', 'reason', 'digest answered'],
      rows: approval.answers.map(({ at, by, verdict, assurance = '', reason = '', ...rest }) => [
        ...[time(at), nameOf(by), verdict, assurance, rest.for.join(', '), reason],
        rest.digest ?? '',
      ]),
      none: 'No person answered.',
    },
    {
      title: 'Every step',
      columns: ['at', 'what', 'by', 'code', 'entry'],
      rows: approval.events.map(({ at, type, by, code = '', entry }) => [
        ...[time(at), type, by, code, entry],
      ]),
      none: '',
    },
  ]
}

export function accessTables({ people, tokens, changes }: AccessReport): ReportTable[] {
  return [
    {
      title: 'People',
      columns: [
        ...['person', 'roles', 'since', 'by', 'passkeys', 'last sign-in', 'last decision'],
        'tenant',
      ],
      rows: people.map((one) => [
        ...[nameOf(one.person), one.roles.join(' '), time(one.since), one.by],
        ...[String(one.passkeys), time(one.lastSignIn), time(one.lastDecision), one.tenant],
      ]),
      none: 'No person had access.',
    },
    {
      title: 'Tokens of agents',
      columns: ['token', 'agent', 'since', 'by', 'kind', 'tenant'],
      rows: tokens.map(({ token, agent, since, by, vouches, client, tenant }) => [
        ...[token, agent, time(since), by],
        client ?? (vouches ? 'vouches for users' : 'agent'),
        tenant,
      ]),
      none: 'No agent had a token.',
    },
    {
      title: 'Changes in the period',
      columns: ['at', 'what', 'by', 'about', 'entry', 'tenant'],
      rows: changes.map(({ at, type, by, about, entry, tenant }) => [
        ...[time(at), type, by, about, entry, tenant],
      ]),
      none: 'Nothing changed.',
    },
  ]
}

const FINDINGS: Readonly<Record<FindingKind, string>> = {
  self_approved: 'approved a call made for themselves',
  own_policy: 'decided under a policy that they put into force',
  admitted: 'was added, or given roles, by another decider of the same call',
}

export function dutiesTables({ findings, refused, deciders }: DutiesReport): ReportTable[] {
  return [
    {
      title: 'Where duties meet',
      columns: ['at', 'person', 'finding', 'with', 'tool', 'approval'],
      rows: findings.map(({ at, person, kind, with: other, tool, approval }) => [
        ...[time(at), person, FINDINGS[kind], other, tool, approval],
      ]),
      none: 'No decider was also the acting user, set the policy of the call, or admitted another decider of it.',
    },
    {
      title: 'Attempts without the right, refused',
      columns: ['person', 'code', 'times'],
      rows: refused.map(({ person, code, count }) => [person, code, String(count)]),
      none: 'No attempt was refused.',
    },
    {
      title: 'Who decides',
      columns: ['person', 'approved', 'denied', 'share of answers'],
      rows: deciders.map(({ person, approved, denied, share }) => [
        ...[person, String(approved), String(denied), `${(share * 100).toFixed(1)} %`],
      ]),
      none: 'No person answered.',
    },
  ]
}

export function holdTables(holds: readonly ReportedHold[]): ReportTable[] {
  return [
    {
      title: 'What was not to be erased',
      columns: [
        ...['placed', 'by', 'what', 'reason', 'released', 'by', 'reason', 'hold', 'entry'],
        'tenant',
      ],
      rows: holds.map(({ placedAt, placedBy, about, reason = '', released, ...rest }) => [
        ...[time(placedAt), placedBy, about, reason],
        ...[time(released?.at), released?.by ?? '', released?.reason ?? ''],
        ...[rest.hold, rest.entry, rest.tenant],
      ]),
      none: 'No hold was in force in this period.',
    },
  ]
}
