import { isRisk, type Risk } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered } from '../../gate/notify/channel.ts'
import { LOGIN_HINTS, type LoginHint } from '../../gate/notify/sign-in-provider.ts'
import { ask, type CibaParts, offerFor } from './ciba-ask.ts'
import { type Polling, startPolling } from './ciba-polling.ts'
import { nameOf } from './ciba-request.ts'

export interface CibaOptions {
  /** The highest risk that is decided on a device, where people see the tool's name only. `L2` unless set. */
  readonly maxRisk?: Risk
  /** How the provider knows people: `sub` unless set. */
  readonly loginHint?: LoginHint
  /** What an authentication context of the provider is worth; `signed-in` where it is not named. */
  readonly acr?: Readonly<Record<string, 'signed-in' | 'passkey'>>
  /** Seconds in which people can answer on their device; 300 unless set. */
  readonly expiry?: number
  /** What operators see; `ciba` unless set. */
  readonly name?: string
}

export interface CibaRules {
  readonly maxRisk: Risk
  readonly loginHint: LoginHint
  readonly acr: ReadonlyMap<string, 'signed-in' | 'passkey'>
  readonly expiry: number
}

/**
 * The OpenID provider that people sign in with asks them on a device of theirs (CIBA), and their yes
 * or no is a decision. Needs a server with that provider.
 */
export function ciba(options: CibaOptions = {}): Channel {
  const { name = 'ciba' } = options
  const rules = rulesOf(options)
  let parts: CibaParts | undefined
  let polling: Polling | undefined

  return {
    name,
    share: 'name',
    kinds: [
      ...(['asked', 'changed', 'reminded', 'escalated', 'assigned'] as const),
      ...(['approved', 'denied', 'expired', 'withdrawn', 'invalidated'] as const),
    ],
    async addresses(notice, people) {
      if (!notice.question || !parts) return []
      const own = parts
      try {
        const issuer = await own.provider.issuer()
        const subjects = people.flatMap((one) => (one.issuer === issuer ? [one.subject] : []))
        const approval = notice.approval.id
        const offers = await Promise.all(
          [...new Set(subjects)].map(async (subject) => {
            const offer = await offerFor(own, { subject, approval })
            return offer ? [subject] : []
          }),
        )
        return offers.flat()
      } catch (error) {
        if (!isCountersignError(error, 'issuer_unavailable')) throw error
        throw new NotDelivered(error.message)
      }
    },
    async send(notice, _signal, delivery) {
      if (!delivery || !parts) throw new NotDelivered('the sign-in provider asks people by name')
      const { address: subject, settles } = delivery
      const approval = notice.approval.id
      if (notice.question && !settles) {
        const isReminder = notice.kind === 'reminded'
        const ref = await ask(parts, { approval, subject, isReminder })
        polling?.wake()
        return ref === undefined ? undefined : { ref }
      }
      // The device may still show the question; what is said there counts for nothing.
      if (!notice.question) await parts.host.requests.remove(nameOf({ approval, subject }))
      return undefined
    },
    connect(host) {
      const { provider } = host
      if (!provider) {
        throw wrong('CIBA needs the OpenID provider that people sign in with: set --oidc-issuer')
      }
      parts = { host, provider, rules }
      const started = startPolling(parts)
      polling = started
      return () => started.stop()
    },
  }
}

function rulesOf(options: CibaOptions): CibaRules {
  const { maxRisk = 'L2', loginHint = 'sub', acr = {}, expiry = 300 } = options
  if (!isRisk(maxRisk)) throw wrong('the highest risk for CIBA is none of L0 to L5')
  if (!LOGIN_HINTS.includes(loginHint)) {
    throw wrong(`the login hint for CIBA is none of ${LOGIN_HINTS.join(', ')}`)
  }
  if (!Number.isSafeInteger(expiry) || expiry < 10 || expiry > 3_600) {
    throw wrong('people have 10 to 3600 seconds to answer on their device')
  }
  const known = new Map(Object.entries(acr))
  for (const [context, worth] of known) {
    const isWorth = worth === 'signed-in' || worth === 'passkey'
    if (isWorth && /^[\x21-\x7e]{1,200}$/.test(context)) continue
    throw wrong(
      `${JSON.stringify(context)} is no authentication context worth signed-in or passkey`,
    )
  }
  return { maxRisk, loginHint, acr: known, expiry }
}

function wrong(message: string): CountersignError {
  return new CountersignError('usage', message, {
    hint: '`countersign ciba setup` checks the provider.',
  })
}
