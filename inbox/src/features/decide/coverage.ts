/** Which stretches of a block were on screen. Jumping to the end does not make the middle seen. */
export type Stretch = readonly [from: number, to: number]

/** Rounding of a browser, in pixels. */
const SLACK = 2

export function addStretch(seen: readonly Stretch[], next: Stretch): readonly Stretch[] {
  if (next[1] <= next[0]) return seen
  const merged: Stretch[] = []
  for (const stretch of [...seen, next].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && stretch[0] <= last[1] + SLACK) {
      merged[merged.length - 1] = [last[0], Math.max(last[1], stretch[1])]
    } else merged.push(stretch)
  }
  return merged
}

export function isCovered(seen: readonly Stretch[], height: number): boolean {
  return seen.some(([from, to]) => from <= SLACK && to >= height - SLACK)
}

/** Where the first unseen stretch begins. */
export function firstUnseen(seen: readonly Stretch[]): number {
  const [first] = seen
  return first !== undefined && first[0] <= SLACK ? first[1] : 0
}
