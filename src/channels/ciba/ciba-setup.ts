import { isCountersignError } from '../../base/errors.ts'
import { NotDelivered } from '../../gate/notify/channel.ts'
import type { Backchannel, BackchannelRequest } from '../../gate/notify/sign-in-provider.ts'

export interface CibaSetup {
  readonly backchannel: Backchannel
  /** A person to ask, as the provider knows them. Their yes and their no decide nothing. */
  readonly tries?: string
  readonly acr: readonly string[]
}

export interface CibaCheck {
  readonly ok: boolean
  readonly says: string
}

const TRY_S = 120
const MESSAGE = 'countersign-setup'

/** Tries what the channel will do, and tells of each step. False when one of them failed. */
export async function checkSetup(
  { backchannel, tries, acr }: CibaSetup,
  tell: (check: CibaCheck) => void,
): Promise<boolean> {
  try {
    const { issuer, hasEndpoint, modes } = await backchannel.about()
    tell({ ok: true, says: `The provider is ${issuer}.` })
    if (!hasEndpoint) {
      tell({
        ok: false,
        says: 'It names no backchannel_authentication_endpoint: CIBA is off there.',
      })
      return false
    }
    if (modes.length > 0 && !modes.includes('poll')) {
      tell({ ok: false, says: 'It does not let this server poll for answers.' })
      return false
    }
    tell({ ok: true, says: 'It asks people on their device, and answers can be polled.' })
    if (tries === undefined) return true
    const request = await backchannel.begin(tries, { bindingMessage: MESSAGE, expiry: TRY_S, acr })
    tell({ ok: true, says: `The device of ${tries} shows ${MESSAGE} now. Answer there.` })
    const said = await answerTo(backchannel, request)
    tell(said)
    return said.ok
  } catch (error) {
    const isOurs = error instanceof NotDelivered || isCountersignError(error)
    tell({ ok: false, says: `${isOurs ? error.message : 'the provider cannot be asked'}.` })
    return false
  }
}

async function answerTo(
  backchannel: Backchannel,
  { id, interval, expiresIn }: BackchannelRequest,
): Promise<CibaCheck> {
  const end = performance.now() + Math.min(expiresIn, TRY_S) * 1_000
  for (let pause = interval; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, pause * 1_000))
    const answer = await backchannel.poll({ id, askedAt: 0 })
    switch (answer.state) {
      case 'pending':
        pause += answer.slowDown ? 5 : 0
        break
      case 'approved': {
        const { subject, acr = 'none' } = answer.claims
        return { ok: true, says: `The answer is yes, of subject ${subject}, with acr ${acr}.` }
      }
      case 'denied':
        return { ok: true, says: 'The answer is no.' }
      case 'refused':
        return { ok: false, says: `The answer counts for nothing: ${answer.why}.` }
      default:
        return { ok: false, says: 'The question ended without an answer.' }
    }
  }
  return { ok: false, says: 'No answer came in time.' }
}
