import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { codeHeard } from '../chat/code-heard.ts'
import { sentenceOf } from '../chat/sentence.ts'
import { textAt } from '../chat/text-at.ts'
import type { SlackCall } from './slack-api.ts'
import { plain } from './slack-blocks.ts'
import { accountOf, UNANSWERED } from './slack-interaction.ts'
import type { SlackWorkspace } from './slack-workspace.ts'

export interface EventParts {
  readonly host: ChannelHost
  readonly call: SlackCall
  readonly workspace: SlackWorkspace
}

/** A direct message to the bot: a link code, or a person who wonders what the bot is for. */
export async function heard(parts: EventParts, payload: unknown): Promise<void> {
  const event = (payload as { readonly event?: unknown }).event
  const isDirect = textAt(event, 'type') === 'message' && textAt(event, 'channel_type') === 'im'
  // Our own messages, those of other apps, and messages that were changed or deleted.
  const isTyped = textAt(event, 'subtype') === '' && textAt(event, 'bot_id') === ''
  const [user, channel] = [textAt(event, 'user'), textAt(event, 'channel')]
  if (!isDirect || !isTyped || user === '' || channel === '') return
  const says = await answerTo(parts, payload, { user, text: textAt(event, 'text') })
  await parts.call('chat.postMessage', {
    ...{ channel, text: says, mrkdwn: false, parse: 'none', link_names: false },
    blocks: [{ type: 'section', text: plain(says) }],
  })
}

async function answerTo(
  { host, workspace }: EventParts,
  payload: unknown,
  { user, text }: { readonly user: string; readonly text: string },
): Promise<string> {
  const event = (payload as { readonly event?: unknown }).event
  const from = {
    team: { id: textAt(payload, 'team_id') },
    user: { id: user, team_id: textAt(event, 'user_team') || textAt(payload, 'team_id') },
  }
  try {
    const { account, member } = await accountOf(workspace, from)
    return await codeHeard(host, { ...account, name: member.name }, text)
  } catch (error) {
    return sentenceOf(error, UNANSWERED)
  }
}
