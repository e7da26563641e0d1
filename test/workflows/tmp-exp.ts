import { workflowCases } from './cases.ts'
import { awsDurable } from './aws-durable-harness.ts'
import { openWorld } from './world.ts'
import { survives, SOME_KILLS } from './kills.ts'
const only = process.argv[2]
const t = performance.now()
if (only === 'kill') { await Promise.all(SOME_KILLS.map(async (k) => { try { await Promise.race([survives(awsDurable, k), new Promise((_, r) => setTimeout(() => r(new Error('late')), 40000))]); console.log('ok', k, (performance.now() - t) | 0) } catch (e) { console.log('FAIL', k, (e as Error).message, (performance.now() - t) | 0) } })); process.exit(0) }
const world = await openWorld(awsDurable)
await world.worker()
await Promise.all(workflowCases.map(async (c, i) => { if (only && !c.name.includes(only)) return; if (c.name.startsWith('the id')) return; try { await Promise.race([c.run(world, `w${i}`), new Promise((_, r) => setTimeout(() => r(new Error('late')), 25000))]); console.log('ok', c.name, (performance.now() - t) | 0) } catch (e) { console.log('FAIL', c.name, (e as Error).message, (performance.now() - t) | 0) } }))
await world.close(); process.exit(0)
