/** Links that make an account, once. For admins. */
import { queryOptions } from '@tanstack/react-query'
import type { InviteBody } from '../../../../src/api/people/invites.ts'
import { call } from '../client.ts'
import { useWrite } from '../query-client.ts'

export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: () => call('GET /v1/invites'),
  refetchInterval: 30_000,
})

const refetch = () => [invitesQuery.queryKey]

export const useMakeInvite = () =>
  useWrite((body: InviteBody) => call('POST /v1/invites', { body }), refetch)

export const useRevokeInvite = (invite: string) =>
  useWrite(() => call('DELETE /v1/invites/:invite', { params: { invite } }), refetch)
