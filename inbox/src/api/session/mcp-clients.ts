/** MCP clients that call tools for the reader. */
import { queryOptions, useMutation } from '@tanstack/react-query'
import type { ClientAnswerBody } from '../../../../src/api/oauth/oauth.ts'
import { call } from '../client.ts'
import { useWrite } from '../query-client.ts'

/** The server fetches the document of the client meanwhile. */
const PATIENCE_MS = 20_000

/** Asked once: each time makes another request that can be answered. */
export const clientRequestQuery = (query: string) =>
  queryOptions({
    queryKey: ['client request', query],
    queryFn: () => call('POST /v1/oauth/requests', { body: { query }, timeout: PATIENCE_MS }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })

export const useAnswerClient = () =>
  useMutation({
    mutationFn: (body: ClientAnswerBody) => call('POST /v1/oauth/answers', { body }),
  })

export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: () => call('GET /v1/oauth/connections'),
  refetchInterval: 30_000,
})

export const useEndConnection = (prefix: string) =>
  useWrite(
    () => call('DELETE /v1/oauth/connections/:prefix', { params: { prefix } }),
    () => [connectionsQuery.queryKey],
  )
