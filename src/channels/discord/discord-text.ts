import { cut, visible } from '../chat/visible-text.ts'

/*
 * Discord reads Markdown, links, mentions and times out of any text, and nothing out of code. So every
 * text of others stands in code, and holds no sequence that would end it. Backticks that could are
 * named, as characters that cannot be seen are.
 */

const LONGEST_NAME = 100

/** One line, so that a name cannot look like a line of ours. */
export function code(text: string): string {
  const line = visible(text).replaceAll(/\s+/g, ' ').replaceAll('`', '[U+0060]').trim()
  return `\`${cut(line, LONGEST_NAME) || '–'}\``
}

/** A text of several lines, cut where it is longer than this. */
export function block(text: string, most: number): string {
  return fenced(cut(named(visible(text)), most))
}

/** Whole, for a text in which nothing is invisible any more. */
export function wholeBlock(text: string): string {
  return fenced(named(text))
}

/** JSON that means the same: backticks that would end the block are escapes. */
export function jsonBlock(json: string): string {
  const safe = json.replaceAll(/`{3,}/g, (run) => '\\u0060'.repeat(run.length))
  return `\`\`\`json\n${safe}\n\`\`\``
}

/** Discord shows it in the time zone of the reader. */
export function time(at: number): string {
  return `<t:${Math.floor(at / 1_000)}:f>`
}

function named(text: string): string {
  return text.replaceAll(/`{3,}/g, (run) => '[U+0060]'.repeat(run.length))
}

/** With a language, so that no first line of the text is read as one. */
function fenced(text: string): string {
  return `\`\`\`text\n${text.trim() === '' ? '–' : text}\n\`\`\``
}
