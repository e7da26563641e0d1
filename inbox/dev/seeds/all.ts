import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { ANA, type SeedServer } from '../seed-server.ts'
import { seedAdmin, seedPeople } from './admin.ts'
import { PAST_AGO, seedPast, seedUnderWay } from './past.ts'
import { seedPending } from './pending.ts'

/** How far back `seedInbox` begins. */
export const SEEDS_AGO = PAST_AGO

/** People, what was decided since yesterday, and what waits now. */
export async function seedInbox(server: SeedServer): Promise<void> {
  await seedPeople(server)
  await seedPast(server)
  await seedPending(server)
  await seedUnderWay(server)
}

/** All of it, and whatever the pages for admins show besides. */
export async function seedEverything(server: SeedServer): Promise<void> {
  await seedInbox(server)
  await seedAdmin(server)
  const ana = await server.person(ANA)
  const { id, digest } = await server.card(server.id('transfer'))
  await ana.send('POST', `/v1/approvals/${id}/reveal`, { path: ['api_key'], digest })
  await ana.send('POST', '/v1/audit/chain')
  changePolicyOnDisk(server)
}

/** Not in force before an admin applies it. */
export function changePolicyOnDisk({ folder }: SeedServer): void {
  appendFileSync(path.join(folder, 'countersign.yaml'), '\nlimits: { asks_per_minute: 600 }\n')
}
