import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import type { Store } from '../../src/store/store.ts'
import { asking, claiming, deciding, finishing } from '../../src/testing/commands.ts'
import { type Measured, measured } from './sample.ts'

/** The four commands of a call that is asked for, approved, claimed and finished. */
export const STEPS: readonly ((approval: Approval) => Command)[] = [
  (approval) => deciding(approval),
  (approval) => claiming(approval),
  (approval) => finishing(approval, { receipt: 'r-1', total: 50 }),
]

/** Digests are the gate's work, and the same for everybody here. */
const DIGEST = 'a'.repeat(64)
let made = 0

export function aRequest(run = 'run') {
  made += 1
  return asking({ digest: DIGEST, call: { run, key: `call-${made}`, risk: 'L3' } })
}

async function cycle(store: Store, run: string): Promise<void> {
  const request = aRequest(run)
  let { approval } = await store.apply(request.id, request)
  for (const next of STEPS) approval = (await store.apply(approval.id, next(approval))).approval
  if (approval.execution?.state !== 'succeeded') throw new Error('the cycle did not end')
}

/** As many callers as asked for, each with so many cycles, one after the other. */
export async function runCycles(store: Store, callers: number, cycles: number): Promise<Measured> {
  const latencies: number[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      const run = crypto.randomUUID()
      for (let done = 0; done < cycles; done += 1) {
        const begun = performance.now()
        await cycle(store, run)
        latencies.push(performance.now() - begun)
      }
    }),
  )
  return measured(latencies, performance.now() - started)
}
