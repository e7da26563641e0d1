import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { call, open, saveAs } from './client.ts'

export const auditQuery = (filters: Readonly<Record<string, string | number>>) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam }) =>
      call('GET /v1/audit', {
        query: { order: 'newest', limit: 100, ...filters, after: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: ({ next, end }) => (end ? undefined : next),
  })

export const chainQuery = queryOptions({
  queryKey: ['chain'],
  queryFn: () => call('GET /v1/audit/chain', { timeout: false }),
})

/** Verifies the whole record now; its report becomes the known one. */
export function useCheckChain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('POST /v1/audit/chain', { timeout: false }),
    onSuccess: (state) => client.setQueryData(chainQuery.queryKey, state),
  })
}

export const useExportAudit = () =>
  useMutation({
    mutationFn: () =>
      open('GET /v1/audit/export', { timeout: false }).then((file) => saveAs('audit.jsonl', file)),
  })
