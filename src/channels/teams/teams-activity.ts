import { randomBytes } from 'node:crypto'
import type { ChatAnswer } from '../../gate/notify/channel-host.ts'
import { codeHeard } from '../chat/code-heard.ts'
import { needsReason } from '../chat/reason.ts'
import { sentenceOf, unfitting } from '../chat/sentence.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import { wholeCard } from '../chat/whole-card.ts'
import {
  type AdaptiveCard,
  CARD_TYPE,
  overCard,
  REASON_INPUT,
  sentenceCard,
  VERBS,
  wholeCallCard,
} from './teams-cards.ts'
import { keepConversation } from './teams-conversations.ts'
import { activity } from './teams-delivery.ts'
import { type ActivityParts, type Sender, senderOf, UNANSWERED } from './teams-sender.ts'

/** Longer than people read, shorter than they forget. The digest is what counts. */
const CARD_MS = 24 * 3_600_000

/** What a button of a card stands for, and who it was shown to. */
interface CardNote {
  readonly approval: string
  readonly digest: string
  readonly account: string
}

/** A message or a button. That the connector sent it was checked before. Never rejects. */
export async function handleActivity(
  parts: ActivityParts,
  payload: unknown,
  serviceUrl: string,
): Promise<object> {
  const type = textAt(payload, 'type')
  if (type === 'invoke' && textAt(payload, 'name') === 'adaptiveCard/action') {
    const shown = await pressed(parts, payload, serviceUrl).catch((error: unknown) =>
      sentenceCard(sentenceOf(error, UNANSWERED)),
    )
    return { statusCode: 200, type: CARD_TYPE, value: shown }
  }
  if (type === 'message') await heard(parts, payload, serviceUrl).catch(() => {})
  return {}
}

/** A link code, or a person who wonders what the bot is for. */
async function heard(parts: ActivityParts, payload: unknown, serviceUrl: string): Promise<void> {
  // What a card submits comes as a message with a value: ours do not, and no text decides.
  if (valueAt(payload, 'value') !== undefined) return
  const { host, connector } = parts
  const { account, name, conversation } = await senderOf(parts, payload, serviceUrl)
  await keepConversation(host, account.id, conversation)
  const text = textAt(payload, 'text').trim()
  const says = await codeHeard(host, { ...account, name }, text).catch((error: unknown) =>
    sentenceOf(error, UNANSWERED),
  )
  const path = `v3/conversations/${encodeURIComponent(conversation.id)}/activities`
  const body = activity(sentenceCard(says))
  await connector({ method: 'POST', serviceUrl, path, body })
}

async function pressed(
  parts: ActivityParts,
  payload: unknown,
  serviceUrl: string,
): Promise<AdaptiveCard> {
  const sender = await senderOf(parts, payload, serviceUrl)
  const action = valueAt(payload, 'value', 'action')
  if (textAt(action, 'type') !== 'Action.Execute') throw unfitting()
  const verb = textAt(action, 'verb')
  const data = valueAt(action, 'data')
  if (verb === VERBS.open) {
    await keepConversation(parts.host, sender.account.id, sender.conversation)
    return opened(parts, sender, textAt(data, 'id'))
  }
  if (verb === VERBS.approve) return answered(parts, sender, 'approve', data)
  if (verb === VERBS.deny) return answered(parts, sender, 'deny', data)
  throw unfitting()
}

/** The whole call, in place of the question, as long as this person looks at it. */
async function opened(
  { host, share }: ActivityParts,
  { account }: Sender,
  approval: string,
): Promise<AdaptiveCard> {
  const link = host.link(approval)
  const card = await host.card(account, approval)
  if (card.refusal !== undefined) {
    return card.approval.status === 'pending'
      ? sentenceCard(card.refusal, { link })
      : overCard(card.approval, link)
  }
  if (share !== 'arguments') {
    return sentenceCard('The arguments of calls are shown in the inbox only.', { link })
  }
  const whole = wholeCard(card)
  if ('why' in whole) return sentenceCard(`${whole.why} Open the inbox to decide.`, { link })
  const note = randomBytes(16).toString('base64url')
  const shown = wholeCallCard(whole, { note, link, terms: card.approval.terms })
  if ('why' in shown)
    return sentenceCard(`${String(shown.why)} Open the inbox to decide.`, { link })
  const kept = { approval, digest: whole.digest, account: account.id }
  await host.notes.put(noteName(note), kept, CARD_MS)
  return shown
}

async function answered(
  { host, share }: ActivityParts,
  { account }: Sender,
  verdict: ChatAnswer['verdict'],
  data: unknown,
): Promise<AdaptiveCard> {
  const note = textAt(data, 'note')
  const kept = (await host.notes.get(noteName(note))) as unknown as CardNote | undefined
  if (share !== 'arguments' || kept?.account !== account.id) throw unfitting()
  const { approval, digest: seen } = kept
  const link = host.link(approval)
  const reason = textAt(data, REASON_INPUT).trim()
  const card = await host.card(account, approval)
  if (
    card.refusal === undefined &&
    reason === '' &&
    needsReason(card.approval.terms.reason, verdict)
  ) {
    return sentenceCard('The rule wants a reason. Read the call again and write one.', {
      ...{ link, again: approval },
    })
  }
  try {
    const words = reason === '' ? {} : { reason }
    const { status } = await host.decide(account, { approval, verdict, seen, ...words })
    const says =
      status === 'pending' ? 'Your yes counts. Others must agree, too.' : `It is ${status}.`
    return sentenceCard(says, { link })
  } catch (error) {
    return sentenceCard(sentenceOf(error, UNANSWERED), { link, again: approval })
  }
}

function noteName(note: string): string {
  return `card ${note}`
}
