/** The known word the author probably meant, or undefined when nothing is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length === 0 || word.length > 64) return undefined
  const wanted = plainWord(word)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = edits(wanted, plainWord(candidate))
    if (distance < least && distance <= allowance(wanted, plainWord(candidate))) {
      best = candidate
      least = distance
    }
  }
  return best
}

/** `allowedTools`, `allowed-tools` and `Allowed_Tools` are the same word. */
export function plainWord(word: string): string {
  return word.toLowerCase().replace(/[_\s-]/g, '')
}

/** A third of the longer word may be wrong; in words of two letters, nothing. */
function allowance(a: string, b: string): number {
  return Math.floor(Math.max(a.length, b.length) / 3)
}

/** Letters added, dropped, changed, or swapped with their neighbour. */
function edits(a: string, b: string): number {
  let older: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (older[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    older = last
    last = row
  }
  return last[b.length] ?? 0
}
