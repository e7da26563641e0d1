/**
 * Workflows in `wrangler dev`: the real engine, with a real server of ours and its signed webhook:
 * `npm run proof cloudflare-workflows`. wrangler is large, so npm installs it for this proof alone.
 * How often Workers are killed is set as for `npm run proof workflows`.
 */
import { workflowCases } from '../../test/workflows/cases.ts'
import { openCloud } from '../../test/workflows/cloudflare/cloud.ts'
import { expenseCases, restartCase } from '../../test/workflows/cloudflare/expense-cases.ts'
import { openWorld } from '../../test/workflows/world.ts'
import { failures, prove } from './claude/prove.ts'
import { cloudflareWrangler, wakesLater } from './cloudflare-workflows/harness.ts'
import { type Wrangler, wranglerIn } from './cloudflare-workflows/wrangler.ts'
import { playKills } from './workflow-kills/rounds.ts'

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

// Each world has a wrangler and a workerd of its own: more than two at once outlast the patience of the cases.
const unsurvived = await playKills([cloudflareWrangler], { atOnce: 2, over: 'http' })
process.exitCode = failures() + unsurvived === 0 ? 0 : 1
