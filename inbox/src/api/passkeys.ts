import { queryOptions } from '@tanstack/react-query'
import type { PasskeyList } from '../../../src/api/passkeys.ts'
import { useWrite } from './query-client.ts'
import { request } from './request.ts'
import { makePasskey } from './webauthn.ts'

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => request<PasskeyList>('GET', '/v1/passkeys'),
})

export const useMakePasskey = () => useWrite(makePasskey, () => [passkeysQuery.queryKey])

export const useRemovePasskey = () =>
  useWrite(
    (id: string) => request<unknown>('DELETE', `/v1/passkeys/${encodeURIComponent(id)}`),
    () => [passkeysQuery.queryKey],
  )
