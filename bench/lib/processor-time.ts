import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds that a process has used of the processor, all of its threads together; undefined where
 * the system does not say. Where other programs run beside a benchmark, this is the steadier figure.
 */
export function processorTime(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const used = threads.map((thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      return Number(text.split(' ')[0])
    })
    return used.reduce((sum, one) => sum + one, 0) / 1e6
  } catch {
    return undefined
  }
}
