/** Numbers over a long time, counted by the server. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const insightsQuery = (days: number) =>
  queryOptions({
    queryKey: ['insights', days],
    queryFn: () => call('GET /v1/insights', { query: { days }, timeout: false }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    refetchInterval: 30_000,
  })
