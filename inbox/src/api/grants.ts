import { queryOptions } from '@tanstack/react-query'
import type { GrantPage } from '../../../src/api/grant.ts'
import { useWrite } from './query-client.ts'
import { queryOf, request } from './request.ts'

const KEY = ['grants'] as const

export const grantsQuery = (state: string) =>
  queryOptions({
    queryKey: [...KEY, state],
    queryFn: () => request<GrantPage>('GET', `/v1/grants${queryOf({ state, limit: 200 })}`),
    refetchInterval: 15_000,
  })

export const useRevokeGrant = () =>
  useWrite(
    (id: string) => request<unknown>('DELETE', `/v1/grants/${encodeURIComponent(id)}`),
    () => [KEY],
  )
