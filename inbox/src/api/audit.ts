import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import type { AuditPage, ChainState } from '../../../src/api/audit.ts'
import { download, queryOf, request } from './request.ts'

export const auditQuery = (filters: Readonly<Record<string, string>>) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam }) => {
      const query = queryOf({ order: 'newest', limit: 100, ...filters, after: pageParam })
      return request<AuditPage>('GET', `/v1/audit${query}`)
    },
    initialPageParam: '',
    getNextPageParam: ({ next, end }) => (end ? undefined : next),
  })

export const chainQuery = queryOptions({
  queryKey: ['chain'],
  queryFn: () => request<ChainState>('GET', '/v1/audit/chain'),
})

/** Verifies the whole record now; its report becomes the known one. */
export function useCheckChain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<ChainState>('POST', '/v1/audit/chain'),
    onSuccess: (state) => client.setQueryData(chainQuery.queryKey, state),
  })
}

export const useExportAudit = () =>
  useMutation({ mutationFn: () => download('/v1/audit/export', 'audit.jsonl') })
