/** How this person wants to be told. */
import { queryOptions } from '@tanstack/react-query'
import type { NotificationPreferences } from '../../../../src/api/channels/preferences.ts'
import { call } from '../client.ts'
import { useWrite } from '../query-client.ts'

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: () => call('GET /v1/me/notifications'),
})

export const useKeepPreferences = () =>
  useWrite(
    (body: NotificationPreferences) => call('PUT /v1/me/notifications', { body }),
    () => [preferencesQuery.queryKey],
  )
