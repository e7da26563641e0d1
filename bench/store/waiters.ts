import type { Approval } from '../../src/approval/approval.ts'
import { createChanges } from '../../src/store/engine/changes.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { aRequest } from './cycle.ts'

const COUNT = 100_000

function memory(): { heap: number; rss: number } {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}

/**
 * Bytes per caller that is parked on an approval of its own, which lies on disk. In a process of its
 * own, because memory that was used before would hide what this takes.
 */
const request = aRequest()
const { approval } = await memoryStore().apply(request.id, request)
const changes = createChanges(
  async (id) => ({ ...approval, id }),
  () => {},
)
const ids = Array.from({ length: COUNT }, (_, index) => `${approval.id}-${index}`)

const before = memory()
const parked: Promise<Approval>[] = []
for (const id of ids) parked.push(changes.waitFor(id, approval.revision))
await new Promise((resolve) => setTimeout(resolve, 200))
const after = memory()
const bytes = (one: 'heap' | 'rss') => (after[one] - before[one]) / parked.length
if (changes.waitedFor().length !== COUNT) throw new Error('somebody left')
process.stdout.write(JSON.stringify({ heap: bytes('heap'), rss: bytes('rss') }))
process.exit(0)
