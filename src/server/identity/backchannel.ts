import { isCountersignError } from '../../base/errors.ts'
import { NotDelivered } from '../../gate/notify/channel.ts'
import {
  type Backchannel,
  type BackchannelAnswer,
  NotAsked,
} from '../../gate/notify/sign-in-provider.ts'
import type { Claims } from './oidc.ts'
import { claimsOf, type Discovered, SCOPE } from './oidc-client.ts'
import { oidcFailure } from './oidc-failure.ts'

const GRANT = 'urn:openid:params:grant-type:ciba'
const REQUEST_CLAIM = 'urn:openid:params:jwt:claim:auth_req_id'
const INTERVAL_S = 5
/** How far the clocks of provider and store may be apart. */
const SKEW_MS = 120_000

/** Client-Initiated Backchannel Authentication in poll mode, with the client that people sign in with. */
export function createBackchannel(discovered: () => Promise<Discovered>): Backchannel {
  return {
    async about() {
      const said = (await discovered()).config.serverMetadata()
      const modes: unknown = said.backchannel_token_delivery_modes_supported
      return {
        issuer: said.issuer,
        hasEndpoint: said.backchannel_authentication_endpoint !== undefined,
        modes: Array.isArray(modes) ? modes.filter((one) => typeof one === 'string') : [],
      }
    },
    issuer: async () => (await discovered()).config.serverMetadata().issuer,
    async begin(loginHint, { bindingMessage, expiry, acr }) {
      const { client, config } = await discovered().catch((error: unknown) => {
        throw notAsked(error, true)
      })
      if (config.serverMetadata().backchannel_authentication_endpoint === undefined) {
        throw new NotAsked('the sign-in provider has no CIBA endpoint', { isCertain: true })
      }
      const fields = {
        scope: SCOPE,
        login_hint: loginHint,
        binding_message: bindingMessage,
        requested_expiry: String(expiry),
        ...(acr.length === 0 ? {} : { acr_values: acr.join(' ') }),
      }
      try {
        const begun = await client.initiateBackchannelAuthentication(config, fields)
        const { auth_req_id: id, expires_in: expiresIn, interval = INTERVAL_S } = begun
        return { id, expiresIn, interval: Math.max(interval, 1) }
      } catch (error) {
        throw notAsked(error, isUntaken(error))
      }
    },
    async poll({ id, subject, askedAt }) {
      const found = await discovered().catch((error: unknown) => {
        throw new NotDelivered(problemOf(error))
      })
      const { client, config } = found
      try {
        const tokens = await client.genericGrantRequest(config, GRANT, { auth_req_id: id })
        const token = tokens.claims()
        if (!token) return refused('no ID token came')
        // The claim is there in some answers only; where it is, it ties the token to the request.
        const request = token[REQUEST_CLAIM]
        if (request !== undefined && request !== id) return refused('it answers another request')
        const isAsked = subject === undefined || token.sub === subject
        if (!isAsked) return refused('it names another person')
        if (token.iat * 1_000 < askedAt - SKEW_MS) return refused('it is older than the question')
        const claims = await claimsOf(found, tokens)
        return { state: 'approved', claims: withAcr(claims, token.acr) }
      } catch (error) {
        return answerIn(error)
      }
    },
  }
}

/** Signed, or absent: what the provider tells besides the token does not raise an assurance. */
function withAcr({ acr: _, ...claims }: Claims, acr: unknown): Claims & { readonly acr?: string } {
  const { issuer, subject } = claims as Claims
  return { ...claims, issuer, subject, ...(typeof acr === 'string' ? { acr } : {}) }
}

function refused(why: string): BackchannelAnswer {
  return { state: 'refused', why }
}

const ANSWERS: ReadonlyMap<string, BackchannelAnswer> = new Map([
  ['authorization_pending', { state: 'pending', slowDown: false }],
  ['slow_down', { state: 'pending', slowDown: true }],
  ['access_denied', { state: 'denied' }],
  ['expired_token', { state: 'expired' }],
  ['transaction_failed', { state: 'expired' }],
  ['invalid_grant', { state: 'lost' }],
])

function answerIn(error: unknown): BackchannelAnswer {
  const { error: said } = (error ?? {}) as { readonly error?: unknown }
  const answer = typeof said === 'string' ? ANSWERS.get(said) : undefined
  if (answer) return answer
  // Any other error the provider words is about this client, and may be mended.
  if (typeof said === 'string') throw new NotDelivered(problemOf(error))
  const failure = oidcFailure(error)
  if (failure.code === 'issuer_unavailable' || statusOf(error) !== undefined) {
    throw new NotDelivered(problemOf(error))
  }
  return refused(failure.message)
}

/** People whom the provider cannot ask; the others are asked all the same. */
const NOT_THIS_PERSON: readonly string[] = ['unknown_user_id', 'access_denied', 'missing_user_code']

function notAsked(error: unknown, isCertain: boolean): NotAsked {
  const { error: said } = (error ?? {}) as { readonly error?: unknown }
  const gone = typeof said === 'string' && NOT_THIS_PERSON.includes(said)
  return new NotAsked(problemOf(error), { isCertain, gone })
}

/** Codes of the provider are repeated, its texts are not. */
function problemOf(error: unknown): string {
  const { error: said } = (error ?? {}) as { readonly error?: unknown }
  if (typeof said === 'string' && /^[a-z_]{1,40}$/.test(said)) {
    return `the sign-in provider answers ${said}`
  }
  const status = statusOf(error)
  if (status !== undefined) return `the sign-in provider answers ${status}`
  return (isCountersignError(error) ? error : oidcFailure(error)).message
}

function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown }
  return typeof status === 'number' ? status : undefined
}

/** A refusal, or no connection at all: the request was not taken. After any other failure it may be. */
function isUntaken(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status < 500 || status === 503
  const { cause } = (error ?? {}) as { readonly cause?: { readonly code?: unknown } }
  return UNCONNECTED.includes(String(cause?.code))
}

const UNCONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
