import Provider, { errors } from 'oidc-provider'
import { vi } from 'vitest'
import { CLIENT, type Directory, type Issuer, listen } from '../support/issuer.ts'

/** What a person's device shows. */
export interface Asked {
  readonly id: string
  readonly account: string
  readonly params: Readonly<Record<string, string>>
}

export interface Said {
  readonly acr?: string
}

export interface DeviceIssuer extends Issuer {
  /** Every question that reached a device. */
  readonly asked: readonly Asked[]
  /** Polls, by `auth_req_id`, each with its time. */
  readonly polls: Map<string, number[]>
  /** The question with this text, once it is there; that of one person, where it was put to several. */
  shown(part: string, account?: string): Promise<Asked>
  yes(asked: Asked, said?: Said): Promise<void>
  no(asked: Asked): Promise<void>
  /** Called for each request by its path, before and after the provider handled it. Resolves true: no answer is sent. */
  cut: (path: string, at: 'before' | 'after', body: unknown) => boolean
  /** Seconds between two polls, as the provider tells them. */
  interval: number
}

export const PEOPLE: Directory = {
  fay: { email: 'fay@example.com', email_verified: true },
  finn: { email: 'finn@example.com', email_verified: true },
}

/** A real provider with CIBA. The device is a list. */
export async function deviceIssuer(people: Directory = PEOPLE): Promise<DeviceIssuer> {
  const asked: Asked[] = []
  const polls = new Map<string, number[]>()
  let made: Provider | undefined
  const issuer = await listen((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: ['http://127.0.0.1:4747/sign-in/callback'],
          grant_types: ['authorization_code', 'urn:openid:params:grant-type:ciba'],
          response_types: ['code'],
          backchannel_token_delivery_mode: 'poll',
        },
      ],
      cookies: { keys: ['of the tests'] },
      acrValues: ['phr', 'mfa'],
      claims: {
        openid: ['sub', 'acr'],
        email: ['email', 'email_verified'],
        profile: ['name', 'groups'],
      },
      conformIdTokenClaims: true,
      findAccount: (_: unknown, id: string) =>
        Object.hasOwn(people, id)
          ? { accountId: id, claims: () => ({ sub: id, ...people[id] }) }
          : undefined,
      features: {
        devInteractions: { enabled: false },
        ciba: {
          enabled: true,
          deliveryModes: ['poll'],
          processLoginHint: async (_: unknown, hint: string) => accountOf(people, hint),
          validateRequestContext: async () => {},
          // As Keycloak has it.
          validateBindingMessage: async (_: unknown, text = '') => {
            if (!/^[a-zA-Z0-9-._+/!?#]{1,50}$/.test(text)) throw new errors.InvalidBindingMessage()
          },
          verifyUserCode: async () => {},
          async triggerAuthenticationDevice(
            _: unknown,
            request: { jti: string; params: Record<string, string> },
            account: { accountId: string },
          ) {
            asked.push({ id: request.jti, account: account.accountId, params: request.params })
          },
        },
      },
    })
    provider.use(async (ctx, next) => {
      const stop = (at: 'before' | 'after') => {
        if (!own.cut(ctx.path, at, ctx.body)) return false
        ctx.res.destroy()
        return true
      }
      if (stop('before')) return
      await next()
      const { auth_req_id: polled } = ctx.oidc?.params ?? {}
      if (ctx.path === '/token' && typeof polled === 'string') {
        polls.set(polled, [...(polls.get(polled) ?? []), Date.now()])
      }
      if (ctx.path === '/backchannel' && ctx.status === 200) {
        ctx.body = { ...(ctx.body as object), interval: own.interval }
      }
      stop('after')
    })
    made = provider
    return provider.callback()
  })

  const own: DeviceIssuer = {
    ...issuer,
    asked,
    polls,
    interval: 1,
    cut: () => false,
    shown: (part, of) =>
      vi.waitFor(() => {
        const found = asked.findLast(
          ({ params, account }) =>
            params.binding_message?.includes(part) && (of ?? account) === account,
        )
        if (!found) throw new Error(`not asked yet: ${part}`)
        return found
      }, 20_000),
    async yes({ id, account }, { acr } = {}) {
      if (!made) throw new Error('there is no provider')
      const grant = new made.Grant({ clientId: CLIENT.id, accountId: account })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      const authTime = Math.floor(Date.now() / 1_000)
      await made.backchannelResult(id, grant, { authTime, ...(acr ? { acr } : {}) })
    },
    async no({ id }) {
      await made?.backchannelResult(id, new errors.AccessDenied('the person said no'))
    },
  }
  return own
}

function accountOf(people: Directory, hint: string): string | undefined {
  if (hint.startsWith('{')) return (JSON.parse(hint) as { sub: string }).sub
  return Object.keys(people).find((id) => id === hint || people[id]?.email === hint)
}
