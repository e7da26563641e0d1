import type {
  APIButtonComponentWithCustomId,
  APIMessageTopLevelComponent,
  APIModalInteractionResponse,
} from 'discord-api-types/v10'
import type { ChatAnswer } from '../../gate/notify/channel-host.ts'
import { TOO_LONG, type WholeCard } from '../chat/whole-card.ts'
import { BUTTONS, inboxLink } from './discord-messages.ts'
import { block, jsonBlock, wholeBlock } from './discord-text.ts'

/*
 * What one person sees in answer to a press, and no other. As text components: people can turn embeds
 * off, and would see the buttons of a call without the call.
 */

/** What Discord is answered: 4 is a new message, 7 changes the one with the button. */
export interface CardAnswer {
  readonly type: 4 | 7
  readonly data: {
    readonly flags: number
    readonly components: readonly APIMessageTopLevelComponent[]
    readonly allowed_mentions: { readonly parse: [] }
  }
}

/** Seen by one person, and made of components. */
const FLAGS = 64 + 32_768
/** A message holds 4,000 characters in all its components together, labels included. */
const LONGEST_CARD = 3_800
const LONGEST_SENTENCE = 1_500
export const REASON_FIELD = 'reason'
export const MODAL = 'm:'
const LONGEST_REASON = 2_000

/** The whole call with the answers, Deny first, or why it can only be decided in the inbox. */
export function cardAnswer(
  { question, args, about, digest }: WholeCard,
  { note, link }: { readonly note: string; readonly link: string | undefined },
): CardAnswer | { readonly why: string } {
  const texts = [
    wholeBlock(question),
    jsonBlock(args),
    `${wholeBlock(about)}\ndigest \`${digest}\``,
  ]
  const own = inboxLink(link)
  const all = [...texts, ...own.lines]
  if (all.join('').length > LONGEST_CARD) return { why: TOO_LONG }
  return answer(4, [
    ...all.map(text),
    {
      type: 1,
      components: [
        button('Deny', 4, `${BUTTONS.deny}${note}`),
        button('Deny with a reason', 2, `${BUTTONS.reason}${note}`),
        button('Approve', 3, `${BUTTONS.approve}${note}`),
        ...own.buttons,
      ],
    },
  ])
}

/** A sentence of ours, for one person: below the message, or in place of the card. */
export function sentenceAnswer(
  says: string,
  link: string | undefined,
  type: 4 | 7 = 4,
): CardAnswer {
  const { buttons, lines } = inboxLink(link)
  // A sentence of the gate may name a person or a tool.
  const texts = [block(says, LONGEST_SENTENCE), ...lines].map(text)
  return answer(type, [
    ...texts,
    ...(buttons.length === 0 ? [] : [{ type: 1 as const, components: [...buttons] }]),
  ])
}

/** Nothing is decided yet: what is submitted is the answer, with its reason. */
export function reasonModal(
  note: string,
  { verdict, isNeeded }: { readonly verdict: ChatAnswer['verdict']; readonly isNeeded: boolean },
): APIModalInteractionResponse {
  return {
    type: 9,
    data: {
      custom_id: `${MODAL}${note}`,
      title: verdict === 'deny' ? 'Deny with a reason' : 'Approve with a reason',
      components: [
        {
          type: 18,
          label: 'Reason',
          component: {
            ...{ type: 4, style: 2, custom_id: REASON_FIELD },
            ...{ max_length: LONGEST_REASON, required: isNeeded },
          },
        },
      ],
    },
  }
}

function answer(type: 4 | 7, components: readonly APIMessageTopLevelComponent[]): CardAnswer {
  return { type, data: { flags: FLAGS, components, allowed_mentions: { parse: [] } } }
}

function text(content: string): APIMessageTopLevelComponent {
  return { type: 10, content }
}

function button(
  label: string,
  style: APIButtonComponentWithCustomId['style'],
  custom_id: string,
): APIButtonComponentWithCustomId {
  return { type: 2, label, style, custom_id }
}
