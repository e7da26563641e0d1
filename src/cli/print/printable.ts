import { escapeUnseen, splitUnseen } from '../../base/invisible-characters.ts'

/** Longer runs push what follows out of sight, so they are counted instead of drawn. */
const WIDE_GAP = / {41,}/g

/**
 * Foreign text as it may stand on a terminal: what would move the cursor, turn the line around or
 * hide is shown by its number, as ‹U+202E›, and a long run of spaces by how many there are. The
 * mark itself is escaped too, so that no text can pretend to be one that was.
 */
export function printable(text: string): string {
  const plain = (part: string) =>
    part.replaceAll('‹', '‹U+2039›').replace(WIDE_GAP, (spaces) => `‹${spaces.length} spaces›`)
  return splitUnseen(text)
    .map((part) => (part.unseen ? `‹${part.text}›` : plain(part.text)))
    .join('')
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
