import { styleText } from 'node:util'
import type { VerdictWord } from '../../policy/document.ts'

export type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is where colour would be noise. */
export type Paint = (style: Style, text: string) => string

/** Colour on a terminal; NO_COLOR and FORCE_COLOR are honoured. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}

export const PLAIN: Paint = (_style, text) => text

export const VERDICT_STYLE: Readonly<Record<VerdictWord, Style>> = {
  allow: ['bold', 'green'],
  confirm: ['bold', 'cyan'],
  review: ['bold', 'yellow'],
  deny: ['bold', 'red'],
}

/** The verdict as a headline; a call that waits for other people was not approved. */
export const VERDICT_LABEL: Readonly<Record<VerdictWord, string>> = {
  allow: 'ALLOW',
  confirm: 'CONFIRM',
  review: 'NEEDS REVIEW',
  deny: 'DENY',
}

export const ANSWER_STYLE: Readonly<Record<string, Style>> = {
  yes: 'green',
  no: 'gray',
  unknown: 'magenta',
}
