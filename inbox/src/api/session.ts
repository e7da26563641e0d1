/** Who is signed in, and how to be. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Me } from '../../../src/api/approval.ts'
import type { SignedIn, SignInMethods } from '../../../src/api/session.ts'
import { useWrite } from './query-client.ts'
import { dropCsrfKey, request, storeCsrfKey } from './request.ts'

const getMe = () => request<Me>('GET', '/v1/me')

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: getMe, staleTime: 60_000 })

/** Disabled during sign-in: an answer from before would count as the one from after. */
export const useMe = (enabled: boolean) => useQuery({ ...meQuery, enabled })

/** Asks only whether the server answers; `connection` keeps the result. */
export function pingServer(): void {
  getMe().catch(() => {})
}

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => request<SignInMethods>('GET', '/v1/sign-in'),
})

/** What a link, or a provider, brought along in the address. */
export interface SignInToken {
  readonly kind: 'link' | 'oidc'
  readonly secret: string
}

async function signIn({ kind, secret }: SignInToken): Promise<void> {
  const { csrf } = await (kind === 'oidc'
    ? request<SignedIn>('POST', '/v1/sign-in/callback', { answer: secret })
    : request<SignedIn>('POST', '/v1/session', { token: secret }))
  storeCsrfKey(csrf)
}

/** Refetches nothing by itself: the page first leaves the sign-in, then forgets the last session. */
export const useSignIn = () => useMutation({ mutationFn: signIn })

export const useBeginOidc = () =>
  useMutation({
    mutationFn: () => request<{ readonly url: string }>('POST', '/v1/sign-in/oidc'),
  })

export const useConfirmLogin = () =>
  useWrite(
    (code: string) => request<unknown>('POST', '/v1/login/confirm', { code }),
    () => [],
  )

/** Forgets what the page knew even when the server did not answer. */
export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await request<unknown>('DELETE', '/v1/session')
      dropCsrfKey()
    },
    onSettled: async () => {
      client.clear()
      await client.invalidateQueries()
      location.reload()
    },
  })
}
