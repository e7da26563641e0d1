const UNITS: readonly (readonly [one: string, many: string, size: number])[] = [
  ['day', 'days', 86_400_000],
  ['h', 'h', 3_600_000],
  ['min', 'min', 60_000],
  ['s', 's', 1_000],
]

/** 5_400_000 → `1 h 30 min`. */
export function duration(ms: number): string {
  let left = ms
  const parts: string[] = []
  for (const [one, many, size] of UNITS) {
    const count = Math.floor(left / size)
    // 24 h says more than 1 day does.
    if (count === 0 || (one === 'day' && count < 2)) continue
    left -= count * size
    parts.push(`${count} ${count === 1 ? one : many}`)
  }
  return parts.length > 0 ? parts.join(' ') : `${ms} ms`
}
