import type { KnownBlock } from '@slack/types'
import type { Notice } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { digestLines, digestTitle, inboxOf } from '../digest-words.ts'
import { type SlackCall, SlackError } from './slack-api.ts'
import { ACTIONS, fallback, plain, type SlackMessage } from './slack-blocks.ts'
import { failureOf } from './slack-delivery.ts'

/** Several calls in one message to one person. It has no button that opens one of them here. */
export function digestMessage(notices: readonly Notice[]): SlackMessage {
  const title = digestTitle(notices)
  const inbox = inboxOf(notices)
  const actions = (url: string): KnownBlock => {
    const text = plain('Open the inbox')
    return { type: 'actions', elements: [{ type: 'button', action_id: ACTIONS.inbox, text, url }] }
  }
  return {
    text: fallback(title),
    blocks: [
      { type: 'header', text: plain(title, 150) },
      { type: 'section', text: plain(digestLines(notices).join('\n')) },
      ...(inbox === undefined ? [] : [actions(inbox)]),
    ],
  }
}

export async function sendDigest(
  call: SlackCall,
  notices: readonly Notice[],
  address: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { body } = await call('conversations.open', { users: address }, signal)
    const channel = textAt(body, 'channel', 'id')
    const still = { mrkdwn: false, parse: 'none', link_names: false }
    const unopened = { unfurl_links: false, unfurl_media: false }
    const message = { channel, ...digestMessage(notices), ...still, ...unopened }
    await call('chat.postMessage', message, signal)
  } catch (error) {
    throw error instanceof SlackError ? failureOf(error) : error
  }
}
