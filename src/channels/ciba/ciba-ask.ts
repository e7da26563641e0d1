import { isCountersignError } from '../../base/errors.ts'
import { NotDelivered } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { NotAsked, type SignInProvider } from '../../gate/notify/sign-in-provider.ts'
import type { CibaRules } from './ciba.ts'
import { type Offer, offerOf } from './ciba-offer.ts'
import {
  type CibaRequest,
  type KeptRequest,
  keepRequest,
  MOST_ASKS,
  nameOf,
  readRequest,
} from './ciba-request.ts'

export interface CibaParts {
  readonly host: ChannelHost
  readonly provider: SignInProvider
  readonly rules: CibaRules
}

export interface AskOptions {
  readonly approval: string
  readonly subject: string
  /** A question that ran out on the device is put again. */
  readonly isReminder: boolean
}

/** When a question is tried again at which another process is at work. */
const BUSY_MS = 1_000
/** Longer than the provider may take to accept one: after that the process that asks has died. */
const ASKING_MS = 30_000

/** What can be asked of this person now; undefined: it is for the inbox, or for other people. */
export async function offerFor(
  { provider, rules }: CibaParts,
  { subject, approval }: { readonly subject: string; readonly approval: string },
): Promise<Offer | undefined> {
  try {
    return offerOf(rules, await provider.card(subject, approval))
  } catch (error) {
    // Gone, locked or removed. Whatever else fails is tried again.
    if (isCountersignError(error) && REFUSED.has(error.code)) return undefined
    throw error
  }
}

const REFUSED: ReadonlySet<string> = new Set(['not_linked', 'locked', 'approval_not_found'])

/**
 * Puts the question to one person, once. What is about to be asked is written down first: after a
 * crash it is known that the person may have been asked, and they are asked once more at most.
 */
export async function ask(parts: CibaParts, options: AskOptions): Promise<string | undefined> {
  const { requests } = parts.host
  const { approval, subject, isReminder } = options
  const offer = await offerFor(parts, options)
  if (!offer) return undefined
  const found = await requests.get(nameOf({ approval, subject }))
  const known = found && readRequest(found)
  const same = known?.digest === offer.digest ? known : undefined
  if (same && !isAgain(same, isReminder)) return offer.message
  if (same?.state === 'asking' && same.due > (await requests.now())) throw underWay()
  return askNow(parts, { offer, approval, subject }, known)
}

function isAgain({ state, expired }: KeptRequest, isReminder: boolean): boolean {
  return state === 'asking' || (state === 'over' && expired && isReminder)
}

export interface Asking {
  readonly offer: Offer
  readonly approval: string
  readonly subject: string
}

/** In place of what was asked before, if anything. Throws when the person was not asked. */
export async function askNow(
  { host: { requests }, provider, rules }: CibaParts,
  { offer, approval, subject }: Asking,
  before: KeptRequest | undefined,
): Promise<string> {
  const { digest, message, decideBy } = offer
  const askedAt = await requests.now()
  const isSame = before?.digest === digest && !before.expired
  const asks = (isSame ? before.asks : 0) + 1
  if (asks > MOST_ASKS) {
    throw new NotDelivered('it is not known whether the person was asked', { gone: true })
  }
  const intent: CibaRequest = {
    ...{ approval, subject, digest, asks, askedAt, until: decideBy },
    ...{ state: 'asking', id: '', interval: 0, failures: 0, expired: false },
    due: askedAt + ASKING_MS,
  }
  const begun = await keepRequest(requests, intent, before?.revision ?? 'absent')
  if (!begun) throw underWay()
  const left = Math.max(Math.floor((decideBy - askedAt) / 1_000), 1)
  try {
    const { id, interval, expiresIn } = await provider.begin(subject, rules.loginHint, {
      bindingMessage: message,
      expiry: Math.min(left, rules.expiry),
      acr: [...rules.acr.keys()],
    })
    const now = await requests.now()
    const until = now + expiresIn * 1_000
    const due = now + interval * 1_000
    await keepRequest(
      requests,
      { ...begun, state: 'open', id, interval, due, until },
      begun.revision,
    )
    return message
  } catch (error) {
    // What the provider did not take does not count as asked.
    const isUntaken = error instanceof NotAsked && error.isCertain
    const left = { ...begun, due: 0, asks: isUntaken ? asks - 1 : asks }
    await keepRequest(requests, left, begun.revision)
    throw error
  }
}

function underWay(): NotDelivered {
  return new NotDelivered('another question is under way', { retryAfter: BUSY_MS })
}
