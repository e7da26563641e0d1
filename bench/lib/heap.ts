import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from './rounds.ts'

/**
 * Bytes that one decision leaves on the heap before any collection. Taken in small portions, from
 * which the cost of looking is subtracted; a portion during which the collector ran shows as a
 * loss and is left out.
 */
export function bytesPerDecision(run: () => number, decisions: number, atLeast: number): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const portions = Math.ceil(atLeast / decisions)
  collect()
  const looking = growth(() => 0, portions)
  collect()
  const grown = growth(run, portions)
  return Math.max(0, (median(grown) - median(looking)) / decisions)
}

function growth(run: () => number, portions: number): number[] {
  const grown: number[] = []
  let sum = 0
  for (let portion = 0; portion < portions; portion++) {
    const before = process.memoryUsage().heapUsed
    sum += run()
    const bytes = process.memoryUsage().heapUsed - before
    if (bytes >= 0) grown.push(bytes)
  }
  if (!Number.isFinite(sum)) throw new Error('the sum of levels is not a number')
  return grown
}
