/** What is asked, how often, and under which name it is kept. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import type { ApprovalPage, ApprovalRow } from '../../src/api/approval.ts'
import {
  getCard,
  getEvents,
  getMe,
  getPage,
  getServers,
  getStatus,
  getSwitches,
  type ListRequest,
  Refused,
} from './api.ts'
import { useConnection } from './connection.ts'

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; silence is retried when the server is back.
      retry: (count, error) => !(error instanceof Refused) && count < 1,
      retryDelay: 500,
      staleTime: 5_000,
      // What the page may do offline is ours to say: it shows what it knew.
      networkMode: 'always',
    },
  },
})

const PAGE = 250
/** More than this is too much for one list; the search finds the rest. */
export const MOST_ROWS = 1_000

export interface Pending {
  readonly rows: readonly ApprovalRow[]
  readonly counts: NonNullable<ApprovalPage['counts']>
  readonly more: boolean
}

async function loadPending(order: ListRequest['order'], q: string): Promise<Pending> {
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

/** Hints make it live; the interval is for the day on which a hint gets lost. */
function useInterval(): number {
  const { state } = useConnection()
  return state === 'live' ? 30_000 : 4_000
}

export function usePending(order: ListRequest['order'], q: string) {
  return useQuery({
    queryKey: ['pending', order, q],
    queryFn: () => loadPending(order, q),
    refetchInterval: useInterval(),
    placeholderData: keepPreviousData,
  })
}

export function useCard(id: string) {
  return useQuery({
    queryKey: ['card', id],
    queryFn: () => getCard(id),
    staleTime: 0,
    refetchInterval: useInterval(),
  })
}

/** Several at once; `missing` says how many are not here yet. */
export function useCards(ids: readonly string[]) {
  const refetchInterval = useInterval()
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['card', id],
      queryFn: () => getCard(id),
      staleTime: 0,
      refetchInterval,
    })),
  })
  const cards = found.flatMap(({ data }) => (data === undefined ? [] : [data]))
  return { cards, missing: ids.length - cards.length }
}

export const useEvents = (id: string) =>
  useQuery({ queryKey: ['events', id], queryFn: () => getEvents(id) })

/** Disabled during sign-in: an answer from before would count as the one from after. */
export const useMe = (enabled: boolean) =>
  useQuery({ queryKey: ['me'], queryFn: getMe, staleTime: 60_000, enabled })

export const useStatus = () => useQuery({ queryKey: ['status'], queryFn: getStatus })

export const DECIDED = 'approved,denied,expired,withdrawn,invalidated'

export type HistoryRequest = Pick<ListRequest, 'status' | 'execution' | 'q'>

export function useHistory(request: HistoryRequest, limit: number) {
  return useInfiniteQuery({
    queryKey: ['history', request, limit],
    queryFn: ({ pageParam }) =>
      getPage({
        ...request,
        order: 'newest',
        limit,
        ...(pageParam === '' ? {} : { after: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
}

export const useServers = () =>
  useQuery({ queryKey: ['servers'], queryFn: () => getServers(), refetchInterval: 10_000 })

export const useSwitches = () =>
  useQuery({ queryKey: ['servers', 'switches'], queryFn: getSwitches, refetchInterval: 10_000 })

/** Quarantined tools, for the banner on the other pages. */
export const useHeld = () =>
  useQuery({
    queryKey: ['servers', 'held'],
    queryFn: () => getServers(true),
    refetchInterval: 30_000,
    select: ({ servers }) =>
      servers.flatMap(({ alias, tools }) => tools.map(({ tool }) => `${alias}/${tool}`)),
  })
