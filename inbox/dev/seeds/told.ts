/** Chats and devices that tell one person of calls, and a workflow that says how far it is. */
import { createECDH, randomBytes } from 'node:crypto'
import type { LinkCode, LinkList } from '../../../src/api/channels/links.ts'
import type { Channel, Linking } from '../../../src/gate/notify/channel.ts'
import type { ChannelHost } from '../../../src/gate/notify/channel-host.ts'
import { ANA, type ApiClient, type SeedServer } from '../seed-server.ts'
import { seedPeople } from './admin.ts'

const MINUTE = 60_000

/** When the workflow asked first. */
export const TOLD_AGO = 10 * MINUTE

interface SeedChat extends Channel {
  /** Of the server that was started with it. */
  host?: ChannelHost
}

/** A chat that takes messages and shows them to no one; accounts are linked as in any other. */
function chat(name: string, linking: Linking): SeedChat {
  const own: SeedChat = {
    name,
    linking,
    addresses: async () => [],
    send: async () => {},
    connect(host) {
      own.host = host
      return () => {}
    },
  }
  return own
}

const SLACK = chat('slack', {
  title: 'Slack',
  where: 'to the app Countersign, as a direct message',
})
const TELEGRAM = chat('telegram', { title: 'Telegram', where: 'to the bot @countersign_bot' })

export const CHATS: readonly Channel[] = [SLACK, TELEGRAM]

/** For a server with `CHATS` and push messages. */
export async function seedTold(server: SeedServer): Promise<void> {
  await seedPeople(server)
  const ana = await server.person(ANA)
  const linked = await claimed(ana, SLACK, {
    workspace: 'T024BE7LD',
    id: 'U2147483697',
    name: 'ana',
  })
  await ana.send('POST', `/v1/channel-links/${encodeURIComponent(linked)}/confirm`)
  for (const name of ['iPhone, Safari', 'Firefox on Linux']) {
    const keys = createECDH('prime256v1')
    await ana.send('POST', '/v1/devices', {
      endpoint: `https://push.example.net/${randomBytes(8).toString('hex')}`,
      p256dh: keys.generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
      name,
      zone: 'Europe/Berlin',
    })
  }
  await ana.send('PUT', '/v1/me/notifications', {
    order: ['push', 'slack'],
    nextAfter: 10,
    quiet: { zone: 'Europe/Berlin', from: '22:00', to: '07:00' },
    digests: [{ channel: 'telegram', every: 60 }],
  })
  await seedRun(server)
  await claimed(ana, TELEGRAM, { workspace: 'telegram', id: '548820177', name: 'Ana @ana_k' })
}

/** Sends a code of hers from an account, and resolves to the id of what she has to confirm. */
async function claimed(
  person: ApiClient,
  { name: channel, host }: SeedChat,
  from: { readonly workspace: string; readonly id: string; readonly name: string },
): Promise<string> {
  const { code } = await person.send<LinkCode>('POST', '/v1/channel-links/codes', { channel })
  await host?.claimLink(from, code)
  const { waiting } = await person.send<LinkList>('GET', '/v1/channel-links')
  const found = waiting.find((one) => one.channel === channel)
  if (found === undefined) throw new Error(`${channel} has no account that waits`)
  return found.id
}

/** A run that asked twice and reported in between. */
async function seedRun(server: SeedServer): Promise<void> {
  const agent = await server.agent('expense-bot')
  const ask = (args: object, context: object) =>
    agent.send<{ readonly id: string }>('POST', '/v1/calls', {
      tool: 'refund',
      run: 'cloudflare:expense-2231/once',
      key: JSON.stringify(args),
      args,
      context,
    })
  const steps = ['validate', 'refund customer', 'book', 'tell the customer']
  const workflow = (at: number) => ({
    name: 'Expense claims',
    step: steps[at],
    done: steps.slice(0, at),
    next: steps.slice(at + 1),
  })
  server.clock.goTo(9 * MINUTE)
  const first = await ask({ order: 'A-10411', amount: 42.5 }, { workflow: workflow(1) })
  await server.decide(ANA, first.id, { verdict: 'approve' })
  const report = (body: object) => agent.send('POST', `/v1/approvals/${first.id}/reports`, body)
  await report({
    type: 'progress',
    progress: { step: 'refund customer', status: 'running', percent: 0.5 },
  })
  server.clock.goTo(6 * MINUTE)
  await report({ type: 'error', error: 'The ledger did not answer within 30 s; trying once more.' })
  const { id } = await ask({ order: 'A-10411', amount: 12 }, { workflow: workflow(2) })
  server.ids.set('run', id)
  server.clock.goTo(MINUTE)
  await report({ type: 'progress', progress: { step: 'book', status: 'waiting', percent: 0.75 } })
}
