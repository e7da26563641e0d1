import { findLookAlikes } from '../../base/deception/look-alike.ts'
import { codePoint, escapeUnseen, splitUnseen } from '../../base/invisible-characters.ts'

/** Longer runs push what follows out of sight, so they are counted instead of drawn. */
const WIDE_GAP = / {41,}/g

/**
 * Foreign text as it may stand on a terminal: what would move the cursor, turn the line around or
 * hide is shown by its number, as ‹U+202E›, a letter that imitates another one as ⟦U+043E⟧, and a
 * long run of spaces by how many there are. The marks themselves are escaped too, so that no text
 * can pretend to hold one.
 */
export function printable(text: string): string {
  if (isPlain(text)) return text
  let shown = ''
  let from = 0
  for (const { at, char } of findLookAlikes(text).flatMap(({ odd }) => odd)) {
    shown += withoutUnseen(text.slice(from, at)) + spelled(char)
    from = at + char.length
  }
  return shown + withoutUnseen(text.slice(from))
}

/** Most text is, and a table may have a hundred thousand cells. */
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text) && !text.includes(GAP)
const GAP = ' '.repeat(41)

/** A letter by its number: what it looks like is what deceives. */
export const spelled = (char: string) => `⟦${codePoint(char)}⟧`

function withoutUnseen(text: string): string {
  const plain = (part: string) =>
    part
      .replace(/[‹⟦]/g, (mark) => `‹${codePoint(mark)}›`)
      .replace(WIDE_GAP, (spaces) => `‹${spaces.length} spaces›`)
  return splitUnseen(text)
    .map((part) => (part.unseen ? `‹${part.text}›` : plain(part.text)))
    .join('')
}

const ESCAPE = /(\\(?:u[\da-f]{4}|.))/

/** The same for JSON text: the letter of an escape is no part of the word that follows it. */
export function printableJson(json: string): string {
  return isPlain(json) ? json : json.split(ESCAPE).map(printable).join('')
}

/** The same for a value whose end is not in quotes: spaces there are not seen, and are part of it. */
export function printableValue(text: string): string {
  const [start, spaces] = withoutEnd(text)
  return printable(start) + spaces
}

/** A text in quotes, with the spaces at its end named. */
export function printableQuoted(text: string): string {
  const [start, spaces] = withoutEnd(text)
  return `${printableJson(JSON.stringify(start).slice(0, -1))}${spaces}"`
}

function withoutEnd(text: string): readonly [start: string, spaces: string] {
  let end = text.length
  // By hand: a pattern would begin anew at every space of a megabyte of them.
  while (text[end - 1] === ' ') end -= 1
  const count = text.length - end
  if (count === 0) return [text, '']
  return [text.slice(0, end), `‹${count} ${count === 1 ? 'space' : 'spaces'} at the end›`]
}

/** The same for text of several lines; every other control character stays visible. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map(printable)
}

const PLAIN = /^[\n\x20-\x7e]*$/

/** JSON for programs that is also safe to look at: unseen characters stand there as escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent))
}

/** The same for what is JSON already. It reads as the same value. */
export function visibleJson(text: string): string {
  // Most lines are plain, and there may be a hundred thousand of them.
  return PLAIN.test(text) ? text : escapeUnseen(text)
}
