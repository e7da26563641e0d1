import type { KnownBlock } from '@slack/types'
import type { Notice } from '../../gate/notify/channel.ts'
import { TALK } from '../notice-words.ts'
import { ACTIONS, fallback, noticeId, plain, type SlackMessage } from './slack-blocks.ts'

/**
 * What was asked, replied or commented, in the thread of the question. Foreign text stands in
 * plain_text alone, under a line of ours that says whose it is.
 */
export function talkMessage(
  { id, kind, approval, said, link }: Notice,
  block = noticeId(id),
): SlackMessage {
  const head = `${approval.tool}: ${TALK[kind] ?? kind}`
  return {
    text: fallback(head),
    blocks: [
      { type: 'section', block_id: block, text: plain(head) },
      ...words(said, approval.agent),
      ...(link === undefined ? [] : [open(link)]),
    ],
  }
}

function words(said: Notice['said'], agent: string): KnownBlock[] {
  if (said?.text === undefined) return []
  const whose = said.by === 'agent' ? `Said by ${agent}, not checked:` : 'Written by a person:'
  return [
    { type: 'context', elements: [plain(whose)] },
    { type: 'section', text: plain(said.text) },
  ]
}

function open(url: string): KnownBlock {
  const button = {
    type: 'button',
    action_id: ACTIONS.inbox,
    text: plain('Open the inbox'),
    url,
  } as const
  return { type: 'actions', elements: [button] }
}
