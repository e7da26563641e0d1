/** The policy in force, its draft on disk, and the demo agent that comes with it. */
import { queryOptions } from '@tanstack/react-query'
import type { PolicyDraft } from '../../../src/api/policy.ts'
import { approvalKeys } from './approvals.ts'
import type { ExplainedCall, PolicyStatus } from './policy-types.ts'
import { useWrite } from './query-client.ts'
import { request } from './request.ts'

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => request<PolicyStatus>('GET', '/status.json'),
})

export const draftQuery = queryOptions({
  queryKey: ['draft'],
  queryFn: () => request<PolicyDraft>('GET', '/v1/policy/draft'),
  refetchInterval: 15_000,
})

/** Exactly what was looked at: another draft by now is refused. */
export const useApplyPolicy = () =>
  useWrite((name: string) => request<unknown>('POST', '/v1/policy/apply', { name }), 'everything')

/** As it was typed: a key written twice or a number too large is the server's to refuse. */
export const useExplainCall = () =>
  useWrite(
    (json: string) => request<ExplainedCall>('POST', '/v1/policy/explain', json),
    () => [],
  )

export const useStartDemo = () =>
  useWrite(
    () => request<unknown>('POST', '/v1/demo', {}),
    () => [approvalKeys.pending],
  )
