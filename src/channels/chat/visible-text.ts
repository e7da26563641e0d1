import { splitUnseen } from '../../base/invisible-characters.ts'

/** A character that cannot be seen is named, and none of them hides what stands beside it. */
export function visible(text: string): string {
  return splitUnseen(text)
    .map(({ text: part, unseen }) => (unseen ? (part === 'U+000A' ? '\n' : `[${part}]`) : part))
    .join('')
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
