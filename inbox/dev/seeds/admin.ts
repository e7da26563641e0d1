/** People, their stand-ins, tokens of agents, grants, locks and switches. */
import { ANA, type SeedServer } from '../seed-server.ts'

const HOUR = 3_600_000
const BO = 'bo@example.com'

interface Member {
  readonly id: string
  readonly email?: string
}

/** Those who decide. Everything else that is seeded needs them. */
export async function seedPeople(server: SeedServer): Promise<void> {
  await server.person(ANA, { name: 'Ana', roles: ['viewer', 'approver', 'admin'] })
  await server.person(BO, { name: 'Bo', roles: ['viewer', 'approver'] })
  await server.person('cy@example.com', { name: 'Cy', roles: ['viewer', 'approver'] })
  // A name that tries to turn the line around.
  await server.person('dee@example.com', { name: 'Dee\u202e', roles: ['viewer'] })
}

/** What admins see on the pages about people, grants and locks. */
export async function seedAdmin(server: SeedServer): Promise<void> {
  const ana = await server.person(ANA)
  await server.agent('mailer', { principal: ANA, days: 30 })
  await server.agent('release-bot')

  await ana.send('POST', '/v1/people', { email: 'eve@example.com', roles: ['viewer'] })
  const { people } = await ana.send<{ people: readonly Member[] }>('GET', '/v1/people')
  const idOf = (email: string) => people.find((one) => one.email === email)?.id ?? ''
  await ana.send('DELETE', `/v1/people/${encodeURIComponent(idOf('eve@example.com'))}`)
  const bo = await server.person(BO)
  await bo.send('POST', '/v1/people/stand-ins', {
    standIn: idOf(ANA),
    until: server.clock.now() + 90 * HOUR,
    reason: 'Holiday',
  })

  await ana.send('POST', '/v1/locks', {
    target: { agent: 'Scraper agent' },
    reason: 'It pushed to the wrong branch; looking into it.',
    until: server.clock.now() + 6 * HOUR,
  })
  await seedGrants(server)
}

async function seedGrants(server: SeedServer): Promise<void> {
  const refund = (amount: number) => ({
    tool: 'refund',
    agent: 'Refund agent',
    run: 'march-shipment',
    args: { amount, currency: 'EUR', reason: 'damaged' },
  })
  const id = await server.ask(refund(50))
  server.ids.set('granted', id)
  await server.decide(ANA, id, {
    verdict: 'approve',
    reason: 'Damaged parcels of the March shipment',
    grant: {
      uses: 20,
      for: '8h',
      any_run: true,
      condition: {
        args_match: { amount: { gte: 0, lte: 50 }, currency: 'EUR', reason: 'damaged' },
      },
      budget: { path: 'amount', most: 400 },
    },
  })
  // Another run of the same agent: no person is asked.
  await server.ask({ ...refund(24), run: 'april-shipment' })
}
