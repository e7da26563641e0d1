/** Filters that this person saved under a name. */
import { queryOptions } from '@tanstack/react-query'
import type { SavedViewBody, SavedViewChange } from '../../../src/api/history/saved-views.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: () => call('GET /v1/me/views'),
  select: ({ views }) => views,
})

const refetch = () => [savedViewsQuery.queryKey]

export const useSaveView = () =>
  useWrite((body: SavedViewBody) => call('POST /v1/me/views', { body }), refetch)

export const useChangeView = (view: string) =>
  useWrite(
    (body: SavedViewChange) => call('POST /v1/me/views/:view', { params: { view }, body }),
    refetch,
  )

export const useDeleteView = (view: string) =>
  useWrite(() => call('DELETE /v1/me/views/:view', { params: { view } }), refetch)
