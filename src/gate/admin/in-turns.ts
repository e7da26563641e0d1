/** How long other requests may wait while recorded calls are judged. */
const TURN_MS = 20

/**
 * Does each in order, and lets other requests have their turn in between. Agents choose how long the
 * texts are that patterns search, so judging hundreds of calls at once would stop the whole server.
 */
export async function inTurns<T, R>(
  items: Iterable<T>,
  work: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const done: R[] = []
  let since = performance.now()
  for (const item of items) {
    done.push(await work(item))
    if (performance.now() - since < TURN_MS) continue
    await new Promise<void>((resume) => setTimeout(resume, 0))
    since = performance.now()
  }
  return done
}
