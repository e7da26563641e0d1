/**
 * Workflows in `wrangler dev`: the real engine, with a real server of ours and its signed webhook:
 * `npm run proof cloudflare-workflows`. wrangler is large, so npm installs it for this proof alone.
 */
import { workflowCases } from '../../test/workflows/cases.ts'
import { openCloud } from '../../test/workflows/cloudflare/cloud.ts'
import { expenseCases, restartCase } from '../../test/workflows/cloudflare/expense-cases.ts'
import { KILLS, type Kill, surviveAll } from '../../test/workflows/kills.ts'
import { openWorld } from '../../test/workflows/world.ts'
import { failures, prove } from './claude/prove.ts'
import { cloudflareWrangler, wakesLater } from './cloudflare-workflows/harness.ts'
import { type Wrangler, wranglerIn } from './cloudflare-workflows/wrangler.ts'

// Then what it started ends as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const world = await openWorld(cloudflareWrangler, { over: 'http' })
try {
  await world.worker()
  await Promise.all(
    workflowCases.map((one, index) => prove(one.name, () => one.run(world, `w${index}`))),
  )
} finally {
  await world.close()
}

let wrangler: Wrangler | undefined
const cloud = await openCloud({
  tellsWaiting: false,
  wakeUps: wakesLater(() => wrangler?.url),
  async start(folder, env) {
    wrangler ??= await wranglerIn(folder)
    const { kill } = await wrangler.start(env)
    return { url: wrangler.url, kill }
  },
})
try {
  await Promise.all(
    expenseCases.map((one, index) => prove(one.name, () => one.run(cloud, `e${index}`))),
  )
  await prove(restartCase.name, () => restartCase.run(cloud, 'restart'))
} finally {
  await cloud.close()
}

const kills = new Map<Kill, unknown>()
const seed = Number(process.env.WORKFLOW_SEED ?? 1)
await surviveAll(cloudflareWrangler, KILLS, (kill, error) => kills.set(kill, error), {
  seed,
  over: 'http',
})
for (const [kill, error] of kills) {
  await prove(`killed by kill -9, seed ${seed}: ${kill}`, async () => {
    if (error !== undefined) throw error
  })
}
process.exitCode = failures() === 0 ? 0 : 1
