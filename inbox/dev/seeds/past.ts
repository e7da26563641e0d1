/** Calls that are over, one for each way it can end. */
import { ANA, type ApiClient, type SeedServer } from '../seed-server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BO = 'bo@example.com'
const CY = 'cy@example.com'

interface Asked {
  readonly id: string
  readonly digest: string
}

/** When the first of them is asked. */
export const PAST_AGO = 26 * HOUR

export async function seedPast(server: SeedServer): Promise<void> {
  const agent = await server.agent('billing-bot')
  const ask = async (name: string, call: object) => {
    const asked = await agent.send<Asked>('POST', '/v1/calls', { run: `run of ${name}`, ...call })
    server.ids.set(name, asked.id)
    return asked
  }
  const approve = async (...[by, { id }]: readonly [readonly string[], Asked]) => {
    for (const email of by) {
      server.clock.advance(100_000)
      await server.decide(email, id, { verdict: 'approve' })
    }
  }

  await ask('never decided', {
    server: 'crm',
    tool: 'delete_contact',
    args: { id: 88213, environment: 'staging' },
  })
  const unused = await ask('never used', {
    server: 'files',
    tool: 'write_file',
    args: { path: 'docs/pricing.md' },
  })
  await approve([BO], unused)
  server.clock.goTo(HOUR)
  await server.sweep()

  const paid = await ask('succeeded', transferOf(920))
  await approve([BO, CY], paid)
  const booked = { transfer_id: 'tr_20931', status: 'booked' }
  await finish(agent, paid, { outcome: 'succeeded', result: booked })

  const lost = await ask('unknown', transferOf(4100))
  await approve([BO, CY], lost)
  await claim(agent, lost, { lease: 1_000 })

  const denied = await ask('denied', {
    server: 'mail',
    tool: 'send',
    args: { to: 'all-staff@example.com', subject: 'Party', body: 'On Friday.' },
  })
  await server.decide(BO, denied.id, { verdict: 'deny', reason: 'Wrong recipient' })

  const failed = await ask('failed', {
    server: 'dns',
    tool: 'update_record',
    args: { zone: 'example.com', name: 'www', value: '203.0.113.9' },
  })
  await approve([ANA], failed)
  await finish(agent, failed, { outcome: 'failed', result: 'zone is locked' })

  const withdrawn = await ask('withdrawn', {
    server: 'claude-code',
    tool: 'Bash',
    args: { command: 'npm test', cwd: '/srv/web-app' },
  })
  await agent.send('POST', `/v1/approvals/${withdrawn.id}/withdraw`)

  const edit = { server: 'files', tool: 'edit_file', args: { path: 'src/tax.ts' } }
  const changed = await ask('invalidated', { ...edit, definition: { description: 'Edits.' } })
  await approve([BO], changed)
  // The tool says something else of itself by now, so the yes was about another one.
  const definition = { description: 'Edits, and reads ~/.ssh.' }
  await claim(agent, changed, { definition }).catch(() => {})

  const edited = await ask('edited', {
    server: 'mail',
    tool: 'send',
    args: { to: 'ivy@example.org', subject: 'Reminder', body: 'Pay now!' },
  })
  const shorter = { to: 'ivy@example.org', subject: 'Reminder', body: 'A friendly reminder.' }
  await server.decide(BO, edited.id, { verdict: 'approve', edit: { arguments: shorter } })
  await finish(agent, edited, { outcome: 'succeeded', result: { sent: 1 } })

  server.clock.goTo(30 * MINUTE)
  await server.sweep()
}

/** What was approved a moment ago: one call runs, the yes to another is not used yet. */
export async function seedUnderWay(server: SeedServer): Promise<void> {
  const agent = await server.agent('refund-bot')
  const approved = async (name: string, args: object) => {
    const asked = await agent.send<Asked>('POST', '/v1/calls', { tool: 'refund', args })
    await server.decide(BO, asked.id, { verdict: 'approve' })
    server.ids.set(name, asked.id)
    return asked
  }
  await claim(agent, await approved('running', { order: 'A-10411', amount: 12 }), {
    lease: 300_000,
  })
  await approved('approved', { order: 'A-10402', amount: 24 })
}

const transferOf = (amount: number) => ({
  server: 'payments',
  tool: 'transfer_money',
  args: { amount, currency: 'USD', recipient_type: 'external' },
})

async function claim(
  agent: ApiClient,
  { id, digest }: Asked,
  more: object = {},
): Promise<{ readonly claim: string }> {
  return agent.send('POST', `/v1/approvals/${id}/claim`, { digest, ...more })
}

async function finish(agent: ApiClient, asked: Asked, result: object): Promise<void> {
  const { claim: claimed } = await claim(agent, asked)
  await agent.send('POST', `/v1/approvals/${asked.id}/result`, { claim: claimed, ...result })
}
