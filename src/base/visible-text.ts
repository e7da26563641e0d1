import { splitUnseen } from './invisible-characters.ts'

/** Foreign text in one line of a message: what cannot be seen is named, and its end is cut. */
export function visibleLine(text: string, longest: number): string {
  const line = splitUnseen(text.replaceAll(/\s+/g, ' ').trim())
    .map((part) => (part.unseen ? `‹${part.text}›` : part.text.replaceAll('‹', '‹U+2039›')))
    .join('')
  const letters = [...line]
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`
}
