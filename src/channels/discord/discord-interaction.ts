import { randomBytes } from 'node:crypto'
import type { ChatAnswer } from '../../gate/notify/channel-host.ts'
import { codeHeard } from '../chat/code-heard.ts'
import { needsReason } from '../chat/reason.ts'
import { sentenceOf, unfitting } from '../chat/sentence.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import { wholeCard } from '../chat/whole-card.ts'
import { cardAnswer, MODAL, REASON_FIELD, reasonModal, sentenceAnswer } from './discord-card.ts'
import { CODE_OPTION, COMMAND, HELLO } from './discord-command.ts'
import { BUTTONS, overMessage } from './discord-messages.ts'
import { type InteractionParts, type Sender, senderOf, UNANSWERED } from './discord-sender.ts'

/** Longer than people read, shorter than they forget. The digest is what counts. */
const CARD_MS = 24 * 3_600_000
const REASON_MS = 3_600_000
const TYPES = { command: 2, component: 3, modal: 5 } as const
const BUTTON = 2

/** What a button of a card stands for, and who it was shown to. */
interface CardNote {
  readonly approval: string
  readonly digest: string
  readonly account: string
}

/** What a submitted reason decides. */
interface ReasonNote extends ChatAnswer {
  readonly account: string
}

/** A command, a button or a modal. That Discord signed it was checked before. Never rejects. */
export async function interact(parts: InteractionParts, payload: unknown): Promise<object> {
  try {
    const sender = await senderOf(parts, payload)
    const type = valueAt(payload, 'type')
    if (type === TYPES.command) return await commanded(parts, sender, payload)
    if (type === TYPES.component) return await pressed(parts, sender, payload)
    if (type === TYPES.modal) return await reasoned(parts, sender, payload)
    throw unfitting()
  } catch (error) {
    return sentenceAnswer(sentenceOf(error, UNANSWERED), undefined)
  }
}

async function commanded(
  { host }: InteractionParts,
  { account, name }: Sender,
  payload: unknown,
): Promise<object> {
  const options = valueAt(payload, 'data', 'options')
  const given = (Array.isArray(options) ? (options as readonly unknown[]) : []).find(
    (one) => textAt(one, 'name') === CODE_OPTION,
  )
  if (textAt(payload, 'data', 'name') !== COMMAND) throw unfitting()
  const says = await codeHeard(host, { ...account, name }, textAt(given, 'value'), HELLO)
  return sentenceAnswer(says, undefined)
}

async function pressed(parts: InteractionParts, sender: Sender, payload: unknown): Promise<object> {
  const message = valueAt(payload, 'message')
  const id = textAt(payload, 'data', 'custom_id')
  // A changed client sends any id: it counts when our own message has this button, by Discord's word.
  const isOurs = textAt(message, 'author', 'id') === sender.bot && hasButton(message, id)
  if (!isOurs || valueAt(payload, 'data', 'component_type') !== BUTTON) throw unfitting()
  const [kind, name] = [id.slice(0, 2), id.slice(2)]
  if (kind === BUTTONS.open) return opened(parts, sender, name)
  if (kind === BUTTONS.approve) return answered(parts, sender, { note: name, verdict: 'approve' })
  if (kind === BUTTONS.deny) return answered(parts, sender, { note: name, verdict: 'deny' })
  if (kind === BUTTONS.reason) {
    return answered(parts, sender, { note: name, verdict: 'deny', wantsReason: true })
  }
  throw unfitting()
}

/** The whole call, for this person alone; in a channel no other member sees it. */
async function opened(
  { host, share }: InteractionParts,
  { account }: Sender,
  approval: string,
): Promise<object> {
  const link = host.link(approval)
  const card = await host.card(account, approval)
  if (card.refusal !== undefined) {
    // A message that was left behind by a process that died says what is true from now on.
    return card.approval.status === 'pending'
      ? sentenceAnswer(card.refusal, link)
      : { type: 7, data: overMessage(card.approval, link) }
  }
  if (share !== 'arguments') {
    return sentenceAnswer('The arguments of calls are shown in the inbox only.', link)
  }
  const whole = wholeCard(card)
  if ('why' in whole) return sentenceAnswer(`${whole.why} Open the inbox to decide.`, link)
  const note = randomBytes(16).toString('base64url')
  const shown = cardAnswer(whole, { note, link })
  if ('why' in shown) return sentenceAnswer(`${shown.why} Open the inbox to decide.`, link)
  const kept = { approval, digest: whole.digest, account: account.id }
  await host.notes.put(cardName(note), kept, CARD_MS)
  return shown
}

interface Pressing {
  readonly note: string
  readonly verdict: ChatAnswer['verdict']
  readonly wantsReason?: boolean
}

async function answered(
  parts: InteractionParts,
  { account }: Sender,
  { note, verdict, wantsReason = false }: Pressing,
): Promise<object> {
  const { host, share } = parts
  const kept = (await host.notes.get(cardName(note))) as unknown as CardNote | undefined
  if (share !== 'arguments' || kept?.account !== account.id) throw unfitting()
  const answer = { approval: kept.approval, verdict, seen: kept.digest }
  const card = await host.card(account, kept.approval)
  const isNeeded = needsReason(card.approval.terms.reason, verdict)
  if (card.refusal !== undefined || !(wantsReason || isNeeded)) {
    return decided(parts, account, answer)
  }
  const reason = randomBytes(16).toString('base64url')
  await host.notes.put(reasonName(reason), { ...answer, account: account.id }, REASON_MS)
  return reasonModal(reason, { verdict, isNeeded })
}

async function reasoned(
  parts: InteractionParts,
  { account }: Sender,
  payload: unknown,
): Promise<object> {
  const { host, share } = parts
  const id = textAt(payload, 'data', 'custom_id')
  if (!id.startsWith(MODAL)) throw unfitting()
  const found = await host.notes.get(reasonName(id.slice(MODAL.length)))
  const kept = found as unknown as ReasonNote | undefined
  if (share !== 'arguments' || kept?.account !== account.id) throw unfitting()
  const { approval, verdict, seen } = kept
  const reason = submittedReason(payload)
  const words = reason === '' ? {} : { reason }
  return decided(parts, account, { approval, verdict, seen, ...words })
}

/** The card becomes what came of it: a call that was refused has to be read again. */
async function decided(
  { host }: InteractionParts,
  account: Sender['account'],
  answer: ChatAnswer,
): Promise<object> {
  const link = host.link(answer.approval)
  try {
    const { status } = await host.decide(account, answer)
    const says =
      status === 'pending' ? 'Your yes counts. Others must agree, too.' : `It is ${status}.`
    return sentenceAnswer(says, link, 7)
  } catch (error) {
    return sentenceAnswer(sentenceOf(error, UNANSWERED), link, 7)
  }
}

function submittedReason(payload: unknown): string {
  const rows = valueAt(payload, 'data', 'components')
  const fields = (Array.isArray(rows) ? (rows as readonly unknown[]) : []).map((row) =>
    valueAt(row, 'component'),
  )
  const field = fields.find((one) => textAt(one, 'custom_id') === REASON_FIELD)
  return textAt(field, 'value').trim()
}

function hasButton(message: unknown, id: string): boolean {
  const rows = valueAt(message, 'components')
  const all = (Array.isArray(rows) ? (rows as readonly unknown[]) : []).flatMap((row) => {
    const inner = valueAt(row, 'components')
    return Array.isArray(inner) ? (inner as readonly unknown[]) : []
  })
  return id !== '' && all.some((one) => textAt(one, 'custom_id') === id)
}

function cardName(note: string): string {
  return `card ${note}`
}

function reasonName(note: string): string {
  return `reason ${note}`
}
