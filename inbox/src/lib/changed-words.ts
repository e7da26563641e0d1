/** Which part of a line changed: from one place to another, of the line before and of the line after. */
export type Range = readonly [from: number, to: number]

/** A longer line is shown as a whole: a person reads it as a whole as well. */
const LONGEST = 2_000

/** A picture, a word, spaces, or one character: a mark never stands in the middle of one. */
const PIECE = /\p{RGI_Emoji}|[\p{L}\p{N}\p{M}_]+|\s+|./gsv

/**
 * Of runs of removed lines, each followed by as many added ones: what differs inside of each pair, by
 * the place of its line. Lines with little in common have no entry; they changed as a whole.
 */
export function changedWords(
  lines: readonly { readonly kind: string; readonly text: string }[],
): ReadonlyMap<number, Range> {
  const found = new Map<number, Range>()
  let at = 0
  while (at < lines.length) {
    const removed = runOf(lines, at, 'removed')
    const added = runOf(lines, at + removed, 'added')
    if (removed > 0 && removed === added) {
      for (let one = at; one < at + removed; one += 1) {
        const two = one + removed
        const pair = differing(lines[one]?.text ?? '', lines[two]?.text ?? '')
        if (pair === undefined) continue
        found.set(one, pair[0])
        found.set(two, pair[1])
      }
    }
    at += Math.max(1, removed + added)
  }
  return found
}

function runOf(lines: readonly { readonly kind: string }[], from: number, kind: string): number {
  let to = from
  while (lines[to]?.kind === kind) to += 1
  return to - from
}

function differing(before: string, after: string): readonly [Range, Range] | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined
  const [old, next] = [before.match(PIECE) ?? [], after.match(PIECE) ?? []]
  const least = Math.min(old.length, next.length)
  let start = 0
  let from = 0
  while (start < least && old[start] === next[start]) {
    from += old[start]?.length ?? 0
    start += 1
  }
  let end = 0
  let behind = 0
  while (end < least - start && old.at(-1 - end) === next.at(-1 - end)) {
    behind += old.at(-1 - end)?.length ?? 0
    end += 1
  }
  const isMostlyNew = (from + behind) * 3 < Math.max(before.length, after.length)
  if (isMostlyNew) return undefined
  return [
    [from, before.length - behind],
    [from, after.length - behind],
  ]
}
