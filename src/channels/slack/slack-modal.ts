import type { KnownBlock, ModalView } from '@slack/types'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import { cut } from '../chat/visible-text.ts'
import { piecesOf, TOO_LONG, wholeCard } from '../chat/whole-card.ts'
import { ACTIONS, plain } from './slack-blocks.ts'

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
  const { approval } = card
  const whole = wholeCard(card)
  if ('why' in whole) return whole
  const pieces = piecesOf(whole.args, PIECE)
  if (whole.question.length > PIECE || pieces.length > MOST_PIECES) return { why: TOO_LONG }
  const name: ModalName = { id: approval.id, digest: approval.digest, user }
  return {
    type: 'modal',
    callback_id: DECIDE,
    private_metadata: JSON.stringify(name),
    title: plain('Decide'),
    submit: plain('Send'),
    close: plain('Not now'),
    blocks: [
      { type: 'section', text: plain(whole.question) },
      ...pieces.map(preformatted),
      { type: 'context', elements: [plain(whole.about), plain(`digest ${approval.digest}`)] },
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

function preformatted(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  }
}
