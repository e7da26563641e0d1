/** Who is signed in, and how to be. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, dropCsrfKey, storeCsrfKey } from './client.ts'
import { silentFor } from './connection.ts'
import { useWrite } from './query-client.ts'

const getMe = () => call('GET /v1/me')

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: getMe, staleTime: 60_000 })

/** Disabled during sign-in: an answer from before would count as the one from after. */
export const useMe = (enabled: boolean) => useQuery({ ...meQuery, enabled })

/** Asks only whether the server answers; `connection` keeps the result. */
export function pingServer(): void {
  call('GET /healthz', { timeout: BEAT_MS }).catch(() => {})
}

const BEAT_MS = 3_500

/**
 * A server that hangs keeps its streams open and says nothing, so a page that people look at asks
 * it as soon as it was silent for a moment. It is taken for gone after twice that time.
 */
export function watchServer(): () => void {
  const look = () => {
    if (!document.hidden && silentFor() >= 1_000) pingServer()
  }
  const timer = setInterval(look, BEAT_MS)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => call('GET /v1/sign-in'),
})

/** What a link, or a provider, brought along in the address. */
export interface SignInToken {
  readonly kind: 'link' | 'oidc'
  readonly secret: string
}

async function signIn({ kind, secret }: SignInToken): Promise<void> {
  const { csrf } = await (kind === 'oidc'
    ? call('POST /v1/sign-in/callback', { body: { answer: secret } })
    : call('POST /v1/session', { body: { token: secret } }))
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
      await (await import('./devices.ts')).leave()
    },
    onSettled: async () => {
      client.clear()
      await client.invalidateQueries()
      location.reload()
    },
  })
}
