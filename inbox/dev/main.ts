/** `npm run dev -w inbox`: the real server on seeds, with the page built once. Prints a link. */
import { ensureInbox } from '../build.ts'
import { startSeedServer } from './seed-server.ts'
import { SEEDS_AGO, seedEverything } from './seeds/all.ts'
import { policyWithServers, seedTools } from './seeds/tools.ts'
import { seedViews } from './seeds/views.ts'

const server = await startSeedServer({
  page: await ensureInbox(),
  port: 4748,
  policy: policyWithServers,
  ago: SEEDS_AGO,
  async seed(seeded) {
    await seedEverything(seeded)
    await seedViews(seeded)
    await seedTools(seeded)
  },
})
process.stdout.write(`${await server.link()}\n`)
process.once('SIGINT', () => void server.stop())
process.once('SIGTERM', () => void server.stop())
