const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: { [unit: string]: number } = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, days: DAY }

/** `1h30m` → 5400000. Only the spellings the generator writes. */
export function milliseconds(text: string): number {
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d+) ?([a-z]+)/g)) {
    const size = UNITS[unit ?? '']
    if (size === undefined) throw new Error(`the oracle does not know the duration ${text}`)
    total += Number(count) * size
  }
  return total
}
