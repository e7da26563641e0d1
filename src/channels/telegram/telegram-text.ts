import type { MessageEntity } from 'grammy/types'
import { cut, visible } from '../chat/visible-text.ts'

/** A message without parse mode: what it looks like is said by entities, which no text can begin. */
export interface TelegramText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

/**
 * Words of our own, or a text of others. Telegram makes links, mentions and commands of any text by
 * itself, and never inside `code` and `pre`: every text of others stands in one of these.
 */
export type Part =
  | string
  | { readonly bold: string }
  | { readonly code: string }
  | { readonly pre: string }

/** What one message holds, in UTF-16 units. */
export const LONGEST_MESSAGE = 4_096
const LONGEST_CODE = 200

export function telegramText(parts: readonly Part[]): TelegramText {
  const entities: MessageEntity[] = []
  let text = ''
  for (const part of parts) {
    const [type, words] = typeof part === 'string' ? (['', part] as const) : shown(part)
    if (type !== '' && words !== '') {
      entities.push({ type, offset: text.length, length: words.length })
    }
    text += words
  }
  return { text, entities }
}

function shown(part: Exclude<Part, string>): readonly ['bold' | 'code' | 'pre', string] {
  if ('bold' in part) return ['bold', part.bold]
  // One line, so that a name cannot look like a line of ours.
  if ('code' in part) return ['code', cut(visible(part.code).replaceAll(/\s+/g, ' '), LONGEST_CODE)]
  return ['pre', part.pre.trim() === '' ? '–' : part.pre]
}
