import type { KnownBlock, ModalView } from '@slack/types'
import { escapeUnseen } from '../../base/invisible-characters.ts'
import { markedMessage } from '../../base/message-parts.ts'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import { ACTIONS, cut, plain, visible } from './slack-blocks.ts'

/** What Slack sends back when a modal is submitted. */
export const DECIDE = 'cs_decide'
export const FIELDS = { verdict: 'verdict', reason: 'reason' } as const

/** A view holds 100 blocks, a block about 3,000 characters. */
const MOST_PIECES = 40
const PIECE = 2_900
const LONGEST_REASON = 2_000

export interface ModalParts {
  readonly card: ChatCard
  /** Whom it is opened for: an answer of another account is refused. */
  readonly user: string
}

/** What the answer names: the approval, and the digest that this very view shows. */
export interface ModalName {
  readonly id: string
  readonly digest: string
  readonly user: string
}

/** The whole call with both answers, or why it can only be decided in the inbox. */
export function decideModal({ card, user }: ModalParts): ModalView | { readonly why: string } {
  const { approval, args, question } = card
  if (args === undefined) return { why: 'The arguments are no longer kept.' }
  if (approval.call.form !== undefined) return { why: 'It has a form to fill in.' }
  if (question === undefined || question.missing.length > 0) {
    return { why: 'The question lacks a value.' }
  }
  const message = question.authored
    ? visible(markedMessage(question.message, question.values))
    : `Run ${visible(approval.call.tool)} with these arguments?`
  const text = escapeUnseen(JSON.stringify(args, null, 2))
  const pieces = piecesOf(text)
  if (message.length > PIECE || pieces.length > MOST_PIECES) {
    return { why: 'The call is too long to be shown here whole.' }
  }
  const name: ModalName = { id: approval.id, digest: approval.digest, user }
  return {
    type: 'modal',
    callback_id: DECIDE,
    private_metadata: JSON.stringify(name),
    title: plain('Decide'),
    submit: plain('Send'),
    close: plain('Not now'),
    blocks: [
      { type: 'section', text: plain(message) },
      ...pieces.map(preformatted),
      { type: 'context', elements: [plain(aboutCall(card)), plain(`digest ${approval.digest}`)] },
      ...answers(card),
    ],
  }
}

/** Deny comes first, and nothing is preselected. */
function answers({ approval: { terms } }: ChatCard): KnownBlock[] {
  return [
    {
      type: 'input',
      block_id: FIELDS.verdict,
      label: plain('Your decision'),
      element: {
        type: 'radio_buttons',
        action_id: FIELDS.verdict,
        options: [
          { text: plain('Deny'), value: 'deny' },
          { text: plain('Approve: exactly this call runs'), value: 'approve' },
        ],
      },
    },
    {
      type: 'input',
      block_id: FIELDS.reason,
      optional: terms.reason !== 'required_always',
      label: plain(terms.reason === 'required' ? 'Reason (needed to deny)' : 'Reason'),
      element: {
        type: 'plain_text_input',
        action_id: FIELDS.reason,
        multiline: true,
        max_length: LONGEST_REASON,
      },
    },
  ]
}

/** A sentence, and the way to the inbox. */
export function sentenceModal(says: string, link: string | undefined): ModalView {
  const blocks: KnownBlock[] = [{ type: 'section', text: plain(cut(says, PIECE)) }]
  if (link !== undefined) {
    const text = plain('Open the inbox')
    const button = { type: 'button', action_id: ACTIONS.inbox, text, url: link } as const
    blocks.push({ type: 'actions', elements: [button] })
  }
  return {
    type: 'modal',
    callback_id: 'cs_sentence',
    title: plain('Countersign'),
    close: plain('Close'),
    blocks,
  }
}

function aboutCall({ approval: { call } }: ChatCard): string {
  const { tool, server, agent, alias, principal, risk } = call
  const parts = [
    risk === undefined ? undefined : `risk ${risk}`,
    `tool ${tool}`,
    server === undefined ? undefined : `server ${server}`,
    `asked by ${alias ?? agent}`,
    principal && `for ${principal.email ?? principal.subject}`,
  ]
  return cut(parts.filter((part) => part !== undefined).join(' · '), 1_900)
}

function preformatted(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  }
}

/** All of it, in pieces that cut no character in two. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + PIECE, text.length)
    const isInside = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '')
    const to = isInside ? end - 1 : end
    pieces.push(text.slice(at, to))
    at = to
  }
  return pieces
}
