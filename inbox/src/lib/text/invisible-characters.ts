/**
 * Text from a call, cut into parts that can be shown as they are and parts that must not: an
 * invisible character is replaced by its name, so that what is read is what will run.
 */
import { findLookAlikes } from '../../../../src/base/deception/look-alike.ts'
import { edgeSpaces } from '../../../../src/base/deception/remarks.ts'

export type Part =
  | { readonly kind: 'plain'; readonly text: string }
  /** `⟦U+202E⟧`, in place of the character itself. */
  | { readonly kind: 'unseen'; readonly text: string }
  /** A letter that belongs to another alphabet than its neighbours. */
  | { readonly kind: 'odd'; readonly text: string }
  /** Spaces at an edge, drawn as dots. */
  | { readonly kind: 'space'; readonly text: string }

// The bracket of our own marks counts as well: no text can pretend to be one that was replaced.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27E6]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/gu

/** Longer runs push what follows off the screen, so they are counted instead of drawn. */
const WIDE_GAP = / {41,}/g

/** `U+200B` */
export function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

interface Mark {
  readonly at: number
  readonly length: number
  readonly part: Part
}

/** A part, and where in the text it begins. */
export type PlacedPart = Part & { readonly at: number }

/**
 * `edges`: spaces at the start and the end are drawn as well. `cuts`: places at which plain text is
 * cut, for a mark; what is replaced is found in the whole text and never cut.
 */
export function splitVisible(
  text: string,
  edges = false,
  cuts: readonly number[] = [],
): readonly PlacedPart[] {
  const marks = [
    ...unseenMarks(text),
    ...gapMarks(text),
    ...oddMarks(text),
    ...(edges ? edgeMarks(text) : []),
  ].sort((a, b) => a.at - b.at || b.length - a.length)
  const parts: PlacedPart[] = []
  let done = 0
  const plainTo = (end: number) => {
    const ends = [...cuts.filter((cut) => done < cut && cut < end), end]
    for (const to of ends) {
      if (to > done) parts.push({ kind: 'plain', text: text.slice(done, to), at: done })
      done = to
    }
  }
  for (const { at, length, part } of marks) {
    if (at < done) continue
    plainTo(at)
    parts.push({ ...part, at })
    done = at + length
  }
  plainTo(text.length)
  return parts
}

/** The same as one string: for titles, labels and everything that takes no elements. */
export function visibleText(text: string): string {
  return splitVisible(text)
    .map(({ text: shown }) => shown)
    .join('')
}

/** An emoji of several characters is one picture: what joins them hides nothing. */
const PICTURE = /\p{RGI_Emoji}/gv

function unseenMarks(text: string): Mark[] {
  const pictures = /[\u200D\uFE0F]/.test(text) ? [...text.matchAll(PICTURE)] : []
  const isDrawn = (at: number) =>
    pictures.some(({ 0: all, index }) => index < at && at < index + all.length)
  const found = [...text.matchAll(UNSEEN)].filter(({ index }) => !isDrawn(index))
  return found.map(({ 0: char, index }) => ({
    at: index,
    length: char.length,
    part: { kind: 'unseen', text: `⟦${codePoint(char)}⟧` },
  }))
}

function gapMarks(text: string): Mark[] {
  return [...text.matchAll(WIDE_GAP)].map(({ 0: run, index }) => ({
    at: index,
    length: run.length,
    part: { kind: 'unseen', text: `⟦${run.length} spaces⟧` },
  }))
}

function oddMarks(text: string): Mark[] {
  return findLookAlikes(text).flatMap(({ odd }) =>
    odd.map(({ at, char }) => ({ at, length: char.length, part: { kind: 'odd', text: char } })),
  )
}

function edgeMarks(text: string): Mark[] {
  const dots = (at: number, length: number): Mark[] =>
    length === 0 ? [] : [{ at, length, part: { kind: 'space', text: '·'.repeat(length) } }]
  const { before, after } = edgeSpaces(text)
  if (before === text.length) return dots(0, before)
  return [...dots(0, before), ...dots(text.length - after, after)]
}
