/** Credentials of agents. */
import { queryOptions } from '@tanstack/react-query'
import type { NewTokenBody } from '../../../src/api/people.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => call('GET /v1/tokens'),
  refetchInterval: 30_000,
})

export const useMakeToken = () =>
  useWrite(
    (body: NewTokenBody) => call('POST /v1/tokens', { body }),
    () => [tokensQuery.queryKey],
  )

export const useRevokeToken = (prefix: string) =>
  useWrite(
    () => call('DELETE /v1/tokens/:prefix', { params: { prefix } }),
    () => [tokensQuery.queryKey],
  )
