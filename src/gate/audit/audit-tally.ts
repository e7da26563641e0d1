import type { Hash } from '../../base/json/digest.ts'

const WORDS = 8

/**
 * Whether two readings told of the same things, as often and in any order, in a few bytes: what one
 * tells is added, what the other tells is taken away. Hashed with a secret made here and now, so
 * that who wrote the database cannot choose things whose sums are equal.
 */
export function createTally(hash: Hash) {
  const secret = `${crypto.randomUUID()}${crypto.randomUUID()}`
  const sum = new Uint32Array(WORDS)
  let count = 0

  async function change(thing: readonly unknown[], sign: 1 | -1): Promise<void> {
    const words = await hash(`${secret}${JSON.stringify(thing)}`)
    for (let at = 0; at < WORDS; at += 1) {
      const word = Number.parseInt(words.slice(8 * at, 8 * at + 8), 16)
      sum[at] = (sum[at] as number) + sign * word
    }
    count += sign
  }

  return {
    add: (thing: readonly unknown[]) => change(thing, 1),
    take: (thing: readonly unknown[]) => change(thing, -1),
    isEven: () => count === 0 && sum.every((word) => word === 0),
  }
}
