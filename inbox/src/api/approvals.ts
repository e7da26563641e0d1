/** Approvals: the lists, one card, its events, and everything that is done to one. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import type {
  ApprovalCard,
  ApprovalPage,
  ApprovalRow,
  WireEvent,
} from '../../../src/api/approval.ts'
import type { GrantProposalAnswer, GrantWishBody } from '../../../src/api/grant.ts'
import type { Json } from '../lib/arguments/values.ts'
import { setServerTime } from '../lib/time/server-time.ts'
import { useRefetchInterval, useWrite } from './query-client.ts'
import { queryOf, request } from './request.ts'

export const approvalPath = (id: string) => `/v1/approvals/${encodeURIComponent(id)}`

export interface ListRequest {
  readonly status: string
  readonly execution?: string
  readonly order: 'risk' | 'deadline' | 'newest'
  readonly q?: string
  readonly after?: string
  readonly limit?: number
}

async function getPage(list: ListRequest): Promise<ApprovalPage> {
  const page = await request<ApprovalPage>('GET', `/v1/approvals${queryOf(list)}`)
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
      status: 'pending',
      order,
      q,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
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
    queryFn: () => request<ApprovalCard>('GET', approvalPath(id)),
    staleTime: 0,
  })

export const eventsQuery = (id: string) =>
  queryOptions({ queryKey: approvalKeys.events(id), queryFn: () => getEvents(id) })

async function getEvents(id: string): Promise<readonly WireEvent[]> {
  const body = await request<readonly WireEvent[] | { events: readonly WireEvent[] }>(
    'GET',
    `${approvalPath(id)}/events`,
  )
  return 'events' in body ? body.events : body
}

export const DECIDED = 'approved,denied,expired,withdrawn,invalidated'

export type HistoryRequest = Pick<ListRequest, 'status' | 'execution' | 'q'>

export const historyQuery = (list: HistoryRequest, limit: number) =>
  infiniteQueryOptions({
    queryKey: [...approvalKeys.history, list, limit],
    queryFn: ({ pageParam }) =>
      getPage({
        ...list,
        order: 'newest',
        limit,
        ...(pageParam === '' ? {} : { after: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

/** What would be written down for a grant. Makes nothing. */
export const grantProposalQuery = (
  { id, digest }: Pick<ApprovalCard, 'id' | 'digest'>,
  wish: GrantWishBody,
) =>
  queryOptions({
    queryKey: ['grant-proposal', id, digest, wish],
    queryFn: () => request<GrantProposalAnswer>('POST', `${approvalPath(id)}/grant-proposal`, wish),
  })

export function usePending(order: ListRequest['order'], q: string) {
  return useQuery({ ...pendingQuery(order, q), refetchInterval: useRefetchInterval() })
}

export function useCard(id: string) {
  return useQuery({ ...cardQuery(id), refetchInterval: useRefetchInterval() })
}

/** Several at once; `missing` says how many are not here yet. */
export function useCards(ids: readonly string[]) {
  const refetchInterval = useRefetchInterval()
  const found = useQueries({
    queries: ids.map((id) => ({ ...cardQuery(id), refetchInterval })),
  })
  const cards = found.flatMap(({ data }) => (data === undefined ? [] : [data]))
  return { cards, missing: ids.length - cards.length }
}

export const useExtend = (id: string) =>
  useWrite(
    (until: number) => request<unknown>('POST', `${approvalPath(id)}/extend`, { until }),
    () => [approvalKeys.card(id), approvalKeys.pending],
  )

export const useWithdraw = (id: string) =>
  useWrite(
    () => request<unknown>('POST', `${approvalPath(id)}/withdraw`, {}),
    () => [approvalKeys.card(id)],
  )

/** Lets a denied call be asked about again in its run. */
export const useLift = (id: string) =>
  useWrite(
    () => request<unknown>('POST', `${approvalPath(id)}/lift`),
    () => [approvalKeys.card(id)],
  )

export interface Resolution {
  readonly outcome: 'succeeded' | 'failed'
  readonly reason: string
}

export const useResolve = (id: string) =>
  useWrite(
    (body: Resolution) => request<unknown>('POST', `${approvalPath(id)}/resolve`, body),
    () => [approvalKeys.card(id), approvalKeys.events(id), approvalKeys.history],
  )

/** Shows one masked value; the server records it first. Changes nothing that is on screen. */
export const useReveal = ({ id, digest }: Pick<ApprovalCard, 'id' | 'digest'>) =>
  useWrite(
    (path: readonly string[]) =>
      request<{ readonly value: Json }>('POST', `${approvalPath(id)}/reveal`, { path, digest }),
    () => [],
  )
