/** The policy in force, its draft on disk, and the demo agent that comes with it. */
import { queryOptions } from '@tanstack/react-query'
import { approvalKeys } from './approvals.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => call('GET /status.json'),
})

export const draftQuery = queryOptions({
  queryKey: ['draft'],
  queryFn: () => call('GET /v1/policy/draft', { timeout: false }),
  refetchInterval: 15_000,
})

/** Exactly what was looked at: another draft by now is refused. */
export const useApplyPolicy = () =>
  useWrite((name: string) => call('POST /v1/policy/apply', { body: { name } }), 'everything')

/** As it was typed: a key written twice or a number too large is the server's to refuse. */
export const useExplainCall = () =>
  useWrite(
    (text: string) => call('POST /v1/policy/explain', { text }),
    () => [],
  )

export const useStartDemo = () =>
  useWrite(
    () => call('POST /v1/demo'),
    () => [approvalKeys.pending],
  )
