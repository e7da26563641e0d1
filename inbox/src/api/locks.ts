import { queryOptions } from '@tanstack/react-query'
import type { LockBody, LockList } from '../../../src/api/locks.ts'
import { useWrite } from './query-client.ts'
import { request } from './request.ts'

export const locksQuery = queryOptions({
  queryKey: ['locks'],
  queryFn: () => request<LockList>('GET', '/v1/locks'),
  refetchInterval: 10_000,
})

// A lock changes what may be decided on every page.
export const useSetLock = () =>
  useWrite((body: LockBody) => request<unknown>('POST', '/v1/locks', body), 'everything')

export const useLiftLock = () =>
  useWrite(
    (id: string) => request<unknown>('DELETE', `/v1/locks/${encodeURIComponent(id)}`),
    'everything',
  )
