/**
 * Records histories for the replay tests: `node test/workflows/temporal/record.ts <version>`. Add
 * them when the order of steps has changed, behind `patched`; the older ones stay, because a
 * workflow of a user may still be at any of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openWorld } from '../world.ts'
import { temporal } from './harness.ts'
import { playHistories } from './histories.ts'

const [version] = process.argv.slice(2)
if (version === undefined) throw new Error('say which version these histories are of')
const folder = path.join(import.meta.dirname, 'fixtures', version)
mkdirSync(folder, { recursive: true })
const world = await openWorld(temporal)
await world.worker()
for (const [name, recorded] of await playHistories(world)) {
  // Stacks name the folders of this machine.
  const text = JSON.stringify(recorded, (key, value) => (key === 'stackTrace' ? undefined : value))
  writeFileSync(path.join(folder, `${name}.json`), `${text}\n`)
}
await world.close()
