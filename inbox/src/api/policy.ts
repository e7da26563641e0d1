/** The policy in force, its draft on disk, and the demo agent that comes with it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { RuleBody } from '../../../src/api/policy/rules.ts'
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

/** A rule as form and text, and what recorded calls would get. Writes nothing. */
export const ruleQuery = (body: RuleBody) =>
  queryOptions({
    queryKey: ['rule', body],
    queryFn: () => call('POST /v1/policy/rule', { body, timeout: false }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })

/** The owner's file, if it is still what was edited. A draft until it is applied. */
export const useSaveDraft = () =>
  useWrite(
    (body: { text: string; base: string }) => call('PUT /v1/policy/draft', { body }),
    'everything',
  )

/** What was put into force, by the signed record. For admins. */
export const versionsQuery = queryOptions({
  queryKey: ['policy-versions'],
  queryFn: () => call('GET /v1/policy/versions'),
})

export const versionQuery = (version: string) =>
  queryOptions({
    queryKey: ['policy-versions', version],
    queryFn: () => call('GET /v1/policy/versions/:version', { params: { version } }),
  })

/** The owner's file becomes an earlier version of it. A draft until it is applied. */
export const useRollBack = (text: string, base: string) =>
  useWrite(() => call('PUT /v1/policy/draft', { body: { text, base } }), 'everything')

export const proposalsQuery = queryOptions({
  queryKey: ['proposals'],
  queryFn: () => call('GET /v1/policy/proposals', { timeout: false }),
})

export const useDismiss = (proposal: string) =>
  useWrite(
    () => call('POST /v1/policy/proposals/:proposal/dismiss', { params: { proposal } }),
    () => [proposalsQuery.queryKey],
  )

/** A grant for the exact call; whether this person may make it is the server's to say. */
export const useAcceptGrant = (wish: { from: string; uses: number; for: string }) =>
  useWrite(
    () =>
      call('POST /v1/grants', {
        body: { from: wish.from, uses: wish.uses, for: wish.for, any_run: true },
      }),
    'everything',
  )

export const ruleCountsQuery = queryOptions({
  queryKey: ['rule-counts'],
  queryFn: () => call('GET /v1/policy/counts'),
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
