/** What was tried, one line each. */
let failed = 0

export async function prove(says: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  let trouble: unknown
  try {
    await work()
  } catch (error) {
    trouble = error
    failed += 1
  }
  const seconds = ((performance.now() - start) / 1_000).toFixed(1)
  process.stdout.write(`${trouble === undefined ? 'ok    ' : 'FAILED'} ${says} (${seconds} s)\n`)
  if (trouble !== undefined) {
    const text = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble)
    process.stdout.write(`${text.slice(0, 4_000)}\n`)
  }
}

export function failures(): number {
  return failed
}

/** Looks until there is something. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error('it did not come within a minute')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
