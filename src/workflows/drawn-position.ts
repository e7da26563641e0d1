/**
 * Unlike every other, for a replay that cannot be recognized because the program wrapped what the
 * engine handed to it. Drawn in a durable step, so that all replays have the same one.
 */
export async function drawnPosition(): Promise<number> {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return high * 2 ** 20 + (low >>> 12)
}
