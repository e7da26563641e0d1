/** The process of one contestant: opens it, then runs what the parent asks for, one run at a time. */
import type { Open, Ran, Run } from './contestant.ts'

const [, , module = '', where = '', name = 'open'] = process.argv
const opens = (await import(new URL(module, import.meta.url).href)) as Record<string, Open>
const open = opens[name]
if (!open) throw new Error(`${module} has no ${name}`)
const cycles = await open(where)

async function run({ callers, seconds }: Run): Promise<Ran> {
  const latencies: number[] = []
  const wakes: number[] = []
  const started = performance.now()
  const end = started + seconds * 1_000
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        const begun = performance.now()
        const { wake } = await cycles.cycle()
        latencies.push(performance.now() - begun)
        wakes.push(wake)
      }
    }),
  )
  return { cycles: latencies.length, elapsed: performance.now() - started, latencies, wakes }
}

process.on('message', (message: Run | 'close') => {
  if (message === 'close') {
    void cycles.close().finally(() => process.exit(0))
    return
  }
  run(message).then(
    (ran) => process.send?.(ran),
    (error: unknown) => process.send?.({ error: String((error as Error).stack ?? error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
