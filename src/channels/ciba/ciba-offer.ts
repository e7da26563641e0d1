import { higherRisk, riskRank, UNRATED } from '../../base/call.ts'
import type { RatedCard } from '../../gate/notify/sign-in-provider.ts'
import type { CibaRules } from './ciba.ts'

/** What Keycloak takes; others take more. */
const LONGEST_MESSAGE = 50
const PLAIN = /^[\w.-]+$/
const DIGEST_SHOWN = 8

/**
 * All that a person reads on the device: which tool, and the beginning of the digest, to compare with
 * the inbox. Undefined for a name that does not fit whole: nothing is asked about half a name.
 */
export function bindingMessage(
  { tool, server }: { readonly tool: string; readonly server?: string },
  digest: string,
): string | undefined {
  const name = server === undefined ? tool : `${server}.${tool}`
  const message = `${name}-${digest.slice(0, DIGEST_SHOWN)}`
  return PLAIN.test(message) && message.length <= LONGEST_MESSAGE ? message : undefined
}

export interface Offer {
  readonly message: string
  readonly digest: string
  readonly decideBy: number
}

/** What is asked about this call; undefined where the inbox must decide. */
export function offerOf(rules: CibaRules, card: RatedCard): Offer | undefined {
  const { approval, args, question, refusal } = card
  const { call, digest, terms, decideBy } = approval
  const message = bindingMessage(call, digest)
  const isWhole = args !== undefined && question !== undefined && question.missing.length === 0
  // Yes and no are all that a device can say.
  const isPlain = call.form === undefined && terms.reason === 'optional'
  const isSure = terms.minAssurance !== 'passkey' || [...rules.acr.values()].includes('passkey')
  const isFit = refusal === undefined && isWhole && isPlain && isSure && isLow(rules, card)
  return isFit && message !== undefined ? { message, digest, decideBy } : undefined
}

/** An agent rates its own calls: that raises a risk, and makes no unrated tool a harmless one. */
function isLow(
  { maxRisk }: CibaRules,
  { approval: { call }, rated = UNRATED }: RatedCard,
): boolean {
  const risk = higherRisk(higherRisk(rated, call.risk), call.looks) ?? UNRATED
  return riskRank(risk) <= riskRank(maxRisk)
}
