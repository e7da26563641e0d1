import { failure, type Result, success } from './result.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['sec', 1_000],
  ['second', 1_000],
  ['seconds', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['minute', 60_000],
  ['minutes', 60_000],
  ['h', 3_600_000],
  ['hour', 3_600_000],
  ['hours', 3_600_000],
  ['d', 86_400_000],
  ['day', 86_400_000],
  ['days', 86_400_000],
  ['w', 604_800_000],
  ['week', 604_800_000],
  ['weeks', 604_800_000],
])

const YEAR = 365 * 86_400_000

/**
 * `15m`, `1h30m`, `7 days` → milliseconds. Whole numbers with a unit, nothing else: a bare `15`
 * could be seconds or minutes, and a clock that is off by sixty decides who may still say yes.
 */
export function parseDuration(text: string): Result<number> {
  const parts = [...text.matchAll(/(\d{1,9}) ?([a-z]+) ?/gy)]
  const read = parts.reduce((length, [part]) => length + part.length, 0)
  if (parts.length === 0 || read !== text.length || text.endsWith(' ')) {
    return failure('a duration is whole numbers with units, such as 15m, 1h30m or 7 days')
  }
  let ms = 0
  let smallest = Number.POSITIVE_INFINITY
  for (const [, amount = '', unit = ''] of parts) {
    const factor = UNITS.get(unit)
    if (factor === undefined) {
      return failure(`"${unit}" is not a unit; use s, m, h, d or w`)
    }
    if (factor >= smallest) return failure('units go from large to small, each once')
    smallest = factor
    ms += Number(amount) * factor
  }
  if (ms <= 0) return failure('a duration must be longer than zero')
  if (ms > YEAR) return failure('a duration is at most one year')
  return success(ms)
}
