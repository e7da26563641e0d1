import { usage } from '../failure.ts'

/** `finance=C0123456789`: where a group of the policy is told. Throws `usage` with this hint. */
export function readPairs(
  pairs: readonly string[],
  hint: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=')
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)]
      throw usage(`${JSON.stringify(pair)} is not a group and where it is told`, hint)
    }),
  )
}
