import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'
import { makePasskey } from './webauthn.ts'

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => call('GET /v1/passkeys'),
})

export const useMakePasskey = () => useWrite(makePasskey, () => [passkeysQuery.queryKey])

export const useRemovePasskey = () =>
  useWrite(
    (passkey: string) => call('DELETE /v1/passkeys/:passkey', { params: { passkey } }),
    () => [passkeysQuery.queryKey],
  )
