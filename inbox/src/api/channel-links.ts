import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const channelLinksQuery = queryOptions({
  queryKey: ['channel-links'],
  queryFn: () => call('GET /v1/channel-links'),
  // A code is sent in another program: the page finds out by looking.
  refetchInterval: 3_000,
})

const changed = () => [channelLinksQuery.queryKey]

export const useMakeLinkCode = () =>
  useWrite(
    (channel: string) => call('POST /v1/channel-links/codes', { body: { channel } }),
    changed,
  )

export const useConfirmLink = () =>
  useWrite(
    (link: string) => call('POST /v1/channel-links/:link/confirm', { params: { link } }),
    changed,
  )

export const useRemoveLink = () =>
  useWrite((link: string) => call('DELETE /v1/channel-links/:link', { params: { link } }), changed)
