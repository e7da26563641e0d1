/** Looking back: pages, numbers and files of the same filter. */

import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
} from '@tanstack/react-query'
import type { Input } from '../../../src/api/client.ts'
import { DECIDED } from '../lib/approval/decided.ts'
import { approvalKeys, getPage } from './approvals.ts'
import { call, open, saveAs } from './client.ts'

export type HistoryFilter = NonNullable<Input<'GET /v1/approvals/summary'>['query']>

const PAGE = 100

export const historyQuery = (filter: HistoryFilter, order: 'newest' | 'oldest' | 'risk') =>
  infiniteQueryOptions({
    queryKey: [...approvalKeys.history, filter, order],
    queryFn: ({ pageParam }) => getPage({ ...filter, order, limit: PAGE, after: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

/** Counts thousands of approvals: fetched now and then, and not with every hint of a change. */
export const summaryQuery = (filter: HistoryFilter) =>
  queryOptions({
    queryKey: ['history-summary', filter],
    queryFn: () => call('GET /v1/approvals/summary', { query: filter, timeout: false }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    refetchInterval: 15_000,
  })

/** The newest calls of a tool that are over. Without a server, those of all servers. */
export const similarQuery = ({ tool, server }: { tool: string; server?: string | undefined }) =>
  queryOptions({
    queryKey: ['similar', tool, server],
    queryFn: () => getPage({ tool, server, status: DECIDED, order: 'newest', limit: 21 }),
    select: ({ approvals }) => approvals,
    staleTime: 30_000,
  })

/** The run of the workflow that asked for this approval. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: () => call('GET /v1/approvals/:id/run', { params: { id } }),
    staleTime: 0,
    // The stream tells of approvals, and reports change none.
    refetchInterval: 5_000,
  })

export const useExportHistory = (filter: HistoryFilter) =>
  useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const route =
        format === 'csv' ? 'GET /v1/approvals/export.csv' : 'GET /v1/approvals/export.jsonl'
      await saveAs(`approvals.${format}`, await open(route, { query: filter, timeout: false }))
    },
  })
