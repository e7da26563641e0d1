/** Signing in and out. Apart from who is signed in, which every page needs at once. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, dropCsrfKey, storeCsrfKey } from '../client.ts'
import { useWrite } from '../query-client.ts'

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => call('GET /v1/sign-in'),
})

/** What a link, or a provider, brought along in the address. */
export interface SignInToken {
  readonly kind: 'signin' | 'invite' | 'oidc'
  readonly secret: string
}

const WAYS = {
  signin: (token: string) => call('POST /v1/session', { body: { token } }),
  invite: (token: string) => call('POST /v1/invites/accept', { body: { token } }),
  oidc: (answer: string) => call('POST /v1/sign-in/callback', { body: { answer } }),
} as const

async function signIn({ kind, secret }: SignInToken): Promise<void> {
  const { csrf } = await WAYS[kind](secret)
  storeCsrfKey(csrf)
}

/** Refetches nothing by itself: the page first leaves the sign-in, then forgets the last session. */
export const useSignIn = () => useMutation({ mutationFn: signIn })

export const useBeginOidc = () =>
  useMutation({
    mutationFn: () => call('POST /v1/sign-in/oidc'),
  })

export const useConfirmLogin = () =>
  useWrite(
    (code: string) => call('POST /v1/login/confirm', { body: { code } }),
    () => [],
  )

/** Forgets what the page knew even when the server did not answer. */
export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await call('DELETE /v1/session')
      dropCsrfKey()
      // The server ended this device with the session; the browser lets go of its end, too.
      await (await import('../devices.ts')).leave()
    },
    onSettled: async () => {
      client.clear()
      await client.invalidateQueries()
      location.reload()
    },
  })
}
