/** Credentials of agents. */
import { queryOptions } from '@tanstack/react-query'
import type { MadeToken, NewTokenBody, TokenList } from '../../../src/api/people.ts'
import { useWrite } from './query-client.ts'
import { request } from './request.ts'

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => request<TokenList>('GET', '/v1/tokens'),
  refetchInterval: 30_000,
})

export const useMakeToken = () =>
  useWrite(
    (body: NewTokenBody) => request<MadeToken>('POST', '/v1/tokens', body),
    () => [tokensQuery.queryKey],
  )

export const useRevokeToken = (prefix: string) =>
  useWrite(
    () => request<unknown>('DELETE', `/v1/tokens/${encodeURIComponent(prefix)}`),
    () => [tokensQuery.queryKey],
  )
