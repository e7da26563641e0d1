/** How a stretch of a line is drawn. Colour is extra: words and signs say the same. */
export type Look = 'plain' | 'bold' | 'dim' | 'chosen' | 'good' | 'bad' | 'warn'

/** A stretch of one line. */
export interface Span {
  readonly text: string
  readonly look: Look
}
export type Line = readonly Span[]

export const span = (text: string, look: Look = 'plain'): Span => ({ text, look })
