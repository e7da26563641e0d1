import { queryOptions } from '@tanstack/react-query'
import type { LockBody } from '../../../src/api/locks.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const locksQuery = queryOptions({
  queryKey: ['locks'],
  queryFn: () => call('GET /v1/locks'),
  refetchInterval: 10_000,
})

// A lock changes what may be decided on every page.
export const useSetLock = () =>
  useWrite((body: LockBody) => call('POST /v1/locks', { body }), 'everything')

export const useLiftLock = () =>
  useWrite((lock: string) => call('DELETE /v1/locks/:lock', { params: { lock } }), 'everything')
