/** One of several servers that needs longer than this to start or to list comes later. */
export const PATIENCE_MS = 5_000

export const LATE: unique symbol = Symbol('late')

/** What comes of it, unless it takes longer. It goes on all the same. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), LATE)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
