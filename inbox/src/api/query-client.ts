import {
  QueryClient,
  type QueryKey,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { Refused } from '../../../src/api/client.ts'
import { useConnection } from './connection.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; silence is retried when the server is back.
      retry: (count, error) => !(error instanceof Refused) && count < 1,
      retryDelay: 500,
      staleTime: 5_000,
      // What the page may do offline is ours to say: it shows what it knew.
      networkMode: 'always',
    },
    mutations: {
      // A write happens now or fails: one that is sent later, or again, is one that no click asked for.
      networkMode: 'always',
      retry: false,
      // Variables and results can hold a secret, so they live no longer than the component.
      gcTime: 0,
    },
  },
})

/**
 * A write. Whether it succeeds or not, what it may have changed is fetched again before the
 * returned promise settles: `refetch` is the keys for these variables, or everything.
 */
export function useWrite<R, V = void>(
  write: (variables: V) => Promise<R>,
  refetch: 'everything' | ((variables: V) => readonly QueryKey[]),
): UseMutationResult<R, Error, V> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSettled: async (_data, _error, variables) => {
      if (refetch === 'everything') await client.invalidateQueries()
      else {
        const keys = refetch(variables)
        await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
      }
    },
  })
}

/** Live events refetch at once; the interval is for the day on which one gets lost. */
export function useRefetchInterval(): number {
  const { state } = useConnection()
  return state === 'live' ? 30_000 : 4_000
}

/** The error of whichever of these writes was tried last: an older one is no longer news. */
export function lastError(
  ...writes: readonly Pick<UseMutationResult<unknown, Error, never>, 'error' | 'submittedAt'>[]
): Error | null {
  const last = writes.reduce((one, two) => (two.submittedAt > one.submittedAt ? two : one))
  return last.error
}
