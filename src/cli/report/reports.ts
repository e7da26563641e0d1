import { CountersignError } from '../../base/errors.ts'
import { AccessReview } from '../../gate/audit/report/access-report.ts'
import { ApprovalsReport } from '../../gate/audit/report/approvals-report.ts'
import { DutiesReview } from '../../gate/audit/report/duties-report.ts'
import type { ReportEntry } from '../../gate/audit/report/entry.ts'
import { HoldsReport } from '../../gate/audit/report/holds-report.ts'
import { usage } from '../failure.ts'
import { timeOf } from '../options/time-option.ts'
import {
  accessTables,
  approvalTables,
  callTables,
  dutiesTables,
  holdTables,
  type ReportTable,
} from './tables.ts'

export const REPORTS = ['approvals', 'call', 'access', 'duties', 'holds'] as const
export type ReportKind = (typeof REPORTS)[number]

export interface ReportOptions {
  readonly since?: string
  readonly until?: string
  readonly at?: string
  readonly approval?: string
  readonly tool?: string
  readonly agent?: string
  readonly person?: string
  readonly tenant?: string
}

export interface Made {
  readonly title: string
  /** What it is about, in sentences. */
  readonly covers: readonly string[]
  readonly tables: readonly ReportTable[]
  readonly data: object
}

export interface Report {
  take(entry: ReportEntry): void
  /** After the whole record was read and found good. */
  made(): Made
}

/** The options that narrow a report; any other one would be read as if it did. */
const NARROWED_BY: Readonly<Record<ReportKind, readonly (keyof ReportOptions)[]>> = {
  approvals: ['since', 'until', 'tool', 'agent', 'person', 'tenant'],
  call: ['approval', 'tenant'],
  access: ['at', 'since', 'until', 'tenant'],
  duties: ['since', 'until', 'tool', 'agent', 'tenant'],
  holds: ['since', 'until', 'tenant'],
}

const OPTIONS: readonly (keyof ReportOptions)[] = [
  ...(['since', 'until', 'at', 'approval', 'tool', 'agent', 'person', 'tenant'] as const),
]

export function reportOf(kind: ReportKind, options: ReportOptions, now: number): Report {
  const surplus = OPTIONS.find(
    (name) => options[name] !== undefined && !NARROWED_BY[kind].includes(name),
  )
  if (surplus !== undefined) {
    const known = NARROWED_BY[kind].map((name) => `--${name}`).join(', ')
    throw usage(`--${surplus} does not narrow a report on ${kind}`, `Use ${known}.`)
  }
  const moment = (name: 'since' | 'until' | 'at') =>
    options[name] === undefined ? undefined : timeOf(options[name], { option: `--${name}`, now })
  const { tool, agent, person, tenant, approval } = options
  const period = { since: moment('since'), until: moment('until') }
  const covers = coverage(options, period)
  switch (kind) {
    case 'approvals': {
      const report = new ApprovalsReport({ ...period, tool, agent, person, tenant })
      return reading(report, (approvals) => ({
        title: 'Who approved what',
        ...{ covers, tables: approvalTables(approvals), data: { approvals } },
      }))
    }
    case 'call': {
      if (approval === undefined) {
        throw usage('a report on one call needs its approval', 'Add --approval ID.')
      }
      return reading(new ApprovalsReport({ approval, tenant }), ([call]) => {
        if (call) {
          const title = `One call: ${call.tool}`
          return { title, covers: [], tables: callTables(call), data: { call } }
        }
        throw new CountersignError('approval_not_found', `the record has no approval ${approval}`)
      })
    }
    case 'access': {
      const at = moment('at') ?? now
      return reading(new AccessReview({ ...period, at, tenant }), (access) => ({
        title: 'Who had access',
        covers: [`Access at ${new Date(at).toISOString()}.`, ...covers],
        ...{ tables: accessTables(access), data: { access } },
      }))
    }
    case 'duties':
      return reading(new DutiesReview({ ...period, tool, agent, tenant }), (duties) => ({
        title: 'Separation of duties',
        covers: [...covers, `${duties.answered} calls were answered.`],
        ...{ tables: dutiesTables(duties), data: { duties } },
      }))
    case 'holds':
      return reading(new HoldsReport({ ...period, tenant }), (holds) => ({
        title: 'Legal holds',
        ...{ covers, tables: holdTables(holds), data: { holds } },
      }))
  }
}

interface Collector<T> {
  take(entry: ReportEntry): void
  result(): T
}

function reading<T>(collector: Collector<T>, made: (result: T) => Made): Report {
  return { take: (entry) => collector.take(entry), made: () => made(collector.result()) }
}

function coverage(
  options: ReportOptions,
  { since, until }: { readonly since: number | undefined; readonly until: number | undefined },
): string[] {
  const from = since === undefined ? 'the beginning of the record' : new Date(since).toISOString()
  const to = until === undefined ? 'its end' : `before ${new Date(until).toISOString()}`
  const only = (['tool', 'agent', 'person', 'tenant'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`${name} ${options[name]}`],
  )
  return [`From ${from} to ${to}.`, ...(only.length === 0 ? [] : [`Only ${only.join(', ')}.`])]
}
