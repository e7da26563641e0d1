import { queryOptions } from '@tanstack/react-query'
import type { Input } from '../../../src/api/client.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

const KEY = ['grants'] as const

type States = NonNullable<Input<'GET /v1/grants'>['query']>['state']

export const grantsQuery = (state: States) =>
  queryOptions({
    queryKey: [...KEY, state],
    queryFn: () => call('GET /v1/grants', { query: { state, limit: 200 } }),
    refetchInterval: 15_000,
  })

export const grantUsesQuery = (grant: string) =>
  queryOptions({
    queryKey: [...KEY, 'uses', grant],
    queryFn: () => call('GET /v1/grants/:grant/uses', { params: { grant }, query: { limit: 100 } }),
  })

export const useRevokeGrant = () =>
  useWrite(
    (grant: string) => call('DELETE /v1/grants/:grant', { params: { grant } }),
    () => [KEY],
  )
