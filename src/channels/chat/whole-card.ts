import {
  previewFailure,
  previewOfAsked,
  previewTitle,
  previewUnchecked,
} from '../../api/preview/preview-words.ts'
import { escapeUnseen } from '../../base/invisible-characters.ts'
import { markedMessage } from '../../base/message-parts.ts'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import { cut, visible } from './visible-text.ts'

/** All that a person must have read before an answer is offered, as plain text. */
export interface WholeCard {
  readonly question: string
  /**
   * Every argument, masked, as JSON in which nothing is invisible. Below it, under a line of ours, the
   * preview in the same way: no line of either can pass for ours.
   */
  readonly args: string
  readonly about: string
  readonly digest: string
}

const LONGEST_ABOUT = 1_900

/** The whole call, or why it can only be decided in the inbox. */
export function wholeCard(card: ChatCard): WholeCard | { readonly why: string } {
  const { approval, args, question } = card
  if (args === undefined) return { why: 'The arguments are no longer kept.' }
  if (approval.call.form !== undefined) return { why: 'It has a form to fill in.' }
  if (question === undefined || question.missing.length > 0) {
    return { why: 'The question lacks a value.' }
  }
  return {
    question: question.authored
      ? visible(markedMessage(question.message, question.values))
      : `Run ${visible(approval.call.tool)} with these arguments?`,
    args: [escapeUnseen(JSON.stringify(args, null, 2)), ...previewOf(card)].join('\n\n'),
    about: aboutCall(card),
    digest: approval.digest,
  }
}

function previewOf({ approval, question }: ChatCard): string[] {
  const made = question?.preview
  if (made === undefined) return []
  const isEdited = approval.digest !== approval.askedDigest
  const lines = [
    `${previewTitle()}. ${previewUnchecked()}`,
    ...(isEdited ? [previewOfAsked()] : []),
    'preview' in made
      ? escapeUnseen(JSON.stringify(made.preview, null, 2))
      : (previewFailure(made) ?? ''),
  ]
  return [lines.join('\n')]
}

/** For a card that would have to be cut: nothing is decided that is not shown whole. */
export const TOO_LONG = 'The call is too long to be shown here whole.'

function aboutCall({ approval: { call } }: ChatCard): string {
  const { tool, server, agent, alias, principal, risk } = call
  const parts = [
    risk === undefined ? undefined : `risk ${risk}`,
    `tool ${tool}`,
    server === undefined ? undefined : `server ${server}`,
    `asked by ${alias ?? agent}`,
    principal && `for ${principal.email ?? principal.subject}`,
  ]
  return cut(visible(parts.filter((part) => part !== undefined).join(' · ')), LONGEST_ABOUT)
}

/** All of a text, in pieces that cut no character in two. */
export function piecesOf(text: string, most: number): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + most, text.length)
    const isInside = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '')
    const to = isInside ? end - 1 : end
    pieces.push(text.slice(at, to))
    at = to
  }
  return pieces
}
