import { setImmediate as turn } from 'node:timers/promises'
import type { ApprovalSummary } from '../../api/history/history.ts'
import { given } from '../../base/json/json.ts'
import { histogramOf, quantile } from '../../store/statistics/histogram.ts'
import type { Filter, Page, Store } from '../../store/store.ts'

type Approval = Page['approvals'][number]

/** More than this is not counted for one look at a list; the answer says so. */
const MOST = 5_000
const STEP = 500

/** Counts what a filter finds, the newest first. */
export async function summaryOf(store: Store, filter: Filter): Promise<ApprovalSummary> {
  const counted: Approval[] = []
  let after: string | undefined
  do {
    const page = {
      order: 'newest',
      limit: STEP,
      ...(after === undefined ? {} : { after }),
    } as const
    const { approvals, next }: Page = await store.list(filter, page)
    counted.push(...approvals)
    after = next
    // Others have their turn: on SQLite a page is read without a pause.
    await turn()
  } while (after !== undefined && counted.length < MOST)
  return { ...countsOf(counted), ...(after === undefined ? {} : { partial: true }) }
}

type Said = 'pending' | 'approved' | 'denied' | 'expired' | 'other'

/** What people said, apart from what happened afterwards. */
function saidOf({ status, useBy }: Approval): Said {
  // It had its yes: unused, revoked and withdrawn later are still a yes, as in the statistics.
  if (useBy !== undefined) return 'approved'
  return status === 'withdrawn' || status === 'invalidated' ? 'other' : status
}

function countsOf(approvals: readonly Approval[]): ApprovalSummary {
  const said = Map.groupBy(approvals, saidOf)
  const yes = said.get('approved') ?? []
  const byPeople = [...yes, ...(said.get('denied') ?? [])].filter(({ grant }) => !grant)
  const times = byPeople.flatMap(({ askedAt, decidedAt }) =>
    decidedAt === undefined ? [] : Math.max(0, decidedAt - askedAt),
  )
  const pending = said.get('pending')?.length ?? 0
  return {
    asked: approvals.length,
    pending,
    ended: approvals.length - pending,
    approved: yes.length,
    denied: said.get('denied')?.length ?? 0,
    expired: said.get('expired')?.length ?? 0,
    other: said.get('other')?.length ?? 0,
    edited: yes.filter(({ digest, askedDigest }) => digest !== askedDigest).length,
    byGrant: yes.filter(({ grant }) => grant !== undefined).length,
    unknown: approvals.filter(({ execution }) => execution?.state === 'unknown').length,
    decided: times.length,
    // Read as Insights reads it, so that two pages never give two medians of the same decisions.
    ...given({ medianMs: quantile(histogramOf(times), 0.5) }),
    ...namesIn(approvals),
  }
}

const MOST_NAMES = 50

/** What the filter can be narrowed by next. */
function namesIn(
  approvals: readonly Approval[],
): Pick<ApprovalSummary, 'agents' | 'tools' | 'people'> {
  return {
    agents: mostFrequent(
      approvals.map(({ call: { agent, alias = agent } }) => ({ agent, name: alias })),
    ),
    tools: mostFrequent(
      approvals.map(({ call: { tool, server } }) => ({ tool, ...given({ server }) })),
    ),
    people: mostFrequent(
      approvals.flatMap(({ decisions }) => decisions.map(({ by }) => by.email ?? by.subject)),
    ),
  }
}

function mostFrequent<T>(all: readonly T[]): T[] {
  return [...Map.groupBy(all, (one) => JSON.stringify(one)).values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_NAMES)
    .flatMap(([first]) => (first === undefined ? [] : [first]))
}
