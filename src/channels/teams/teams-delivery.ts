import { isTalk } from '../../approval/transition.ts'
import {
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
} from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { textAt } from '../chat/text-at.ts'
import {
  type AdaptiveCard,
  CARD_TYPE,
  digestCard,
  questionCard,
  reminderCard,
  settledCard,
  talkCard,
} from './teams-cards.ts'
import { type TeamsConnector, TeamsError } from './teams-connector.ts'
import { type Conversation, conversationOf } from './teams-conversations.ts'

export interface TeamsDelivery {
  readonly connector: TeamsConnector
  readonly host: ChannelHost
  /** Whether calls are shown and decided in Teams. */
  readonly mayAnswer: boolean
}

/**
 * One message per person and approval: sent once, then changed. A bot cannot look for what it sent, so
 * a first message whose process died before it was noted may be there twice.
 */
export async function deliver(
  { connector, host, mayAnswer }: TeamsDelivery,
  notice: Notice,
  { address, previous, settles }: Delivery,
  signal: AbortSignal,
): Promise<SentMessage | undefined> {
  const { kind, question } = notice
  const conversation = await conversationOf(host, address)
  if (!conversation) throw noConversation()
  const shown =
    kind === 'questioned'
      ? talkCard(notice)
      : question
        ? questionCard(notice, { mayAnswer })
        : settledCard(notice)
  try {
    const ref = previous?.ref
    if (ref === undefined) return settles ? undefined : await send(shown)
    if (isTalk(kind)) await send(talkCard(notice))
    else if (kind === 'reminded') await send(reminderCard(notice))
    // The question is still open, and who was asked it can still answer.
    else if (kind === 'unreachable') await send(shown)
    else await change(connector, conversation, ref, shown, signal)
    return { ref }
  } catch (error) {
    throw error instanceof TeamsError ? failureOf(error) : error
  }

  async function send(said: AdaptiveCard): Promise<SentMessage> {
    const { id, serviceUrl } = conversation as Conversation
    const path = `v3/conversations/${encodeURIComponent(id)}/activities`
    const sent = await connector({
      ...{ method: 'POST', serviceUrl, path, body: activity(said), signal },
    })
    const ref = textAt(sent, 'id')
    if (ref === '') throw new NotDelivered('Teams does not say which message it sent')
    return { ref }
  }
}

/** Several calls in one message. Nothing of it is changed later. */
export async function deliverDigest(
  { connector, host }: Omit<TeamsDelivery, 'mayAnswer'>,
  notices: readonly Notice[],
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const conversation = await conversationOf(host, address)
  if (!conversation) throw noConversation()
  const path = `v3/conversations/${encodeURIComponent(conversation.id)}/activities`
  const body = activity(digestCard(notices))
  const { serviceUrl } = conversation
  await connector({ method: 'POST', serviceUrl, path, body, signal }).catch((error: unknown) => {
    throw error instanceof TeamsError ? failureOf(error) : error
  })
}

function noConversation(): NotDelivered {
  return new NotDelivered('Teams has no conversation with them', { gone: true })
}

/** A message that people deleted misleads no reader. */
async function change(
  connector: TeamsConnector,
  { id, serviceUrl }: Conversation,
  ref: string,
  said: AdaptiveCard,
  signal: AbortSignal,
): Promise<void> {
  const path = `v3/conversations/${encodeURIComponent(id)}/activities/${encodeURIComponent(ref)}`
  const body = { ...activity(said), id: ref }
  await connector({ method: 'PUT', serviceUrl, path, body, signal }).catch((error: unknown) => {
    if (!(error instanceof TeamsError && error.status === 404)) throw error
  })
}

export function activity(said: AdaptiveCard) {
  return {
    type: 'message',
    // For notifications: the words of ours that no agent chose.
    summary: 'Countersign',
    attachments: [{ contentType: CARD_TYPE, content: said }],
  }
}

/** They removed or blocked the bot, or have left. */
const GONE: readonly string[] = [
  'BotNotInConversationRoster',
  'ConversationBlockedByUser',
  'ConversationNotFound',
  'MessageWritesBlocked',
]

function failureOf({ code, message }: TeamsError): NotDelivered {
  return new NotDelivered(message, { gone: GONE.includes(code) })
}
