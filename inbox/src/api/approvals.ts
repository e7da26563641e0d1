/** Approvals: the lists, one card, its events, and everything that is done to one. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { ApprovalCard, ApprovalPage, ApprovalRow } from '../../../src/api/approval.ts'
import type { ResolveBody } from '../../../src/api/approval-acts.ts'
import type { Input } from '../../../src/api/client.ts'
import type { GrantWishBody } from '../../../src/api/grant.ts'
import { DECIDED } from '../lib/approval/decided.ts'
import { setServerTime } from '../lib/time/server-time.ts'
import { call } from './client.ts'
import { useRefetchInterval, useWrite } from './query-client.ts'

type PageRequest = NonNullable<Input<'GET /v1/approvals'>['query']>

export type ListRequest = PageRequest & { readonly order: 'risk' | 'deadline' | 'newest' }

export async function getPage(query: PageRequest): Promise<ApprovalPage> {
  const page = await call('GET /v1/approvals', { query })
  setServerTime(page.now)
  return page
}

export const approvalKeys = {
  pending: ['pending'],
  history: ['history'],
  card: (id: string) => ['card', id],
  events: (id: string) => ['events', id],
} as const

const PAGE = 250
/** More than this is too much for one list; the search finds the rest. */
export const MOST_ROWS = 1_000

export interface Pending {
  readonly rows: readonly ApprovalRow[]
  readonly counts: NonNullable<ApprovalPage['counts']>
  readonly more: boolean
}

async function getPending(order: ListRequest['order'], q: string): Promise<Pending> {
  const rows: ApprovalRow[] = []
  let after: string | undefined
  let counts: ApprovalPage['counts']
  do {
    const page = await getPage({
      status: ['pending'],
      order,
      q,
      limit: PAGE,
      after,
    })
    rows.push(...page.approvals)
    counts ??= page.counts
    after = page.next
  } while (after !== undefined && rows.length < MOST_ROWS)
  return { rows, counts: counts ?? { mine: 0, others: 0 }, more: after !== undefined }
}

export const pendingQuery = (order: ListRequest['order'], q: string) =>
  queryOptions({
    queryKey: [...approvalKeys.pending, order, q],
    queryFn: () => getPending(order, q),
    placeholderData: keepPreviousData,
  })

export const cardQuery = (id: string) =>
  queryOptions({
    queryKey: approvalKeys.card(id),
    queryFn: () => call('GET /v1/approvals/:id', { params: { id } }),
    staleTime: 0,
  })

export const eventsQuery = (id: string) =>
  queryOptions({
    queryKey: approvalKeys.events(id),
    queryFn: () => call('GET /v1/approvals/:id/events', { params: { id } }),
    select: ({ events }) => events,
  })

/** The newest calls that are over. */
export const pastQuery = (limit: number) =>
  queryOptions({
    queryKey: [...approvalKeys.history, 'newest', limit],
    queryFn: () => getPage({ status: DECIDED, order: 'newest', limit }),
    select: ({ approvals }) => approvals,
  })

/** The newest calls that this agent asked about, decided or not. */
export const agentCallsQuery = (agent: string) =>
  queryOptions({
    queryKey: [...approvalKeys.history, 'agent', agent],
    queryFn: () => getPage({ agent, order: 'newest', limit: 20 }),
  })

/** What would be written down for a grant. Makes nothing. */
export const grantProposalQuery = (
  { id, digest }: Pick<ApprovalCard, 'id' | 'digest'>,
  wish: GrantWishBody,
) =>
  queryOptions({
    queryKey: ['grant-proposal', id, digest, wish],
    queryFn: () => call('POST /v1/approvals/:id/grant-proposal', { params: { id }, body: wish }),
  })

export function usePending(order: ListRequest['order'], q: string) {
  return useQuery({ ...pendingQuery(order, q), refetchInterval: useRefetchInterval() })
}

export function useCard(id: string) {
  return useQuery({ ...cardQuery(id), refetchInterval: useRefetchInterval() })
}

export const useExtend = (id: string) =>
  useWrite(
    (until: number) => call('POST /v1/approvals/:id/extend', { params: { id }, body: { until } }),
    () => [approvalKeys.card(id), approvalKeys.pending],
  )

export const useWithdraw = (id: string) =>
  useWrite(
    () => call('POST /v1/approvals/:id/withdraw', { params: { id } }),
    () => [approvalKeys.card(id)],
  )

/** Lets a denied call be asked about again in its run. */
export const useLift = (id: string) =>
  useWrite(
    () => call('POST /v1/approvals/:id/lift', { params: { id } }),
    () => [approvalKeys.card(id)],
  )

export const useResolve = (id: string) =>
  useWrite(
    (body: ResolveBody) => call('POST /v1/approvals/:id/resolve', { params: { id }, body }),
    () => [approvalKeys.card(id), approvalKeys.events(id), approvalKeys.history],
  )

/** Shows one masked value; the server records it first. Changes nothing that is on screen. */
export const useReveal = ({ id, digest }: Pick<ApprovalCard, 'id' | 'digest'>) =>
  useWrite(
    (path: readonly string[]) =>
      call('POST /v1/approvals/:id/reveal', { params: { id }, body: { path, digest } }),
    () => [],
  )
