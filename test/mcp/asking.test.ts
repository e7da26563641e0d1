import path from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { expect, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { askingUpstream } from './asking-upstream.ts'
import { echoUpstream } from './echo-upstream.ts'
import { textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'

const ASKING = path.resolve(import.meta.dirname, 'asking-server.ts')
const PIN = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const

/** A client of the newer era that notes what it is asked and answers with its own name. */
async function asked({ url }: Gateway, headers: Record<string, string>, name: string) {
  const questions: string[] = []
  const client = new ModernClient(
    { name, version: '1' },
    { capabilities: { elicitation: { form: {} } }, ...PIN },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message)
    return { action: 'accept', content: { size: name } }
  })
  await client.connect(new ModernTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  const order = async (what: string, count = 1) =>
    textOf(await client.callTool({ name: 'shop_order', arguments: { what, count } }))
  return { order, questions }
}

async function shop(where: string): Promise<Gateway> {
  return gateway(`version: 1\nmcp_servers:\n  - { alias: shop, ${where}, approval: false }\n`)
}

/** A question of the server says whose it is. */
const asks = (what: string) => `Server shop asks, not Countersign:\nWhich size of ${what}?`

const AS_PROCESS = `command: ${process.execPath}, args: [${ASKING}]`

promise.each(
  ['CS-MCP-30', 'CS-MCP-36'],
  'what a server asks while it runs reaches the client that called it',
  [
    ['a process', async () => AS_PROCESS],
    ['an address', async () => `url: "${await askingUpstream('legacy')}"`],
    ['an address of the newer era', async () => `url: "${await askingUpstream('modern')}"`],
  ] as const,
  async (_, where) => {
    const at = await shop(await where())
    const headers = await at.agent('a')
    const ana = await asked(at, headers, 'ana')
    expect(await ana.order('tea')).toBe('tea: accept {"size":"ana"}')
    expect(ana.questions).toEqual([asks('tea')])
    // One that cannot be asked, with the same credential, changes nothing for the other.
    const mute = new ModernClient({ name: 'mute', version: '1' }, PIN)
    await mute.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => mute.close())
    const unasked = await mute
      .callTool({ name: 'shop_order', arguments: { what: 'milk', count: 1 } })
      .then(textOf, String)
    expect(unasked).toMatch(/not support|capabilit/i)
    expect(await ana.order('cake')).toBe('cake: accept {"size":"ana"}')
    expect(ana.questions).toEqual([asks('tea'), asks('cake')])
  },
)

promise.each(
  ['CS-MCP-30', 'CS-MCP-14'],
  'clients that share a credential are each asked about their own calls',
  [['legacy'], ['modern']] as const,
  async (era) => {
    const at = await shop(`url: "${await askingUpstream(era)}"`)
    const headers = await at.agent('a')
    const names = Array.from({ length: 8 }, (_, n) => `client-${n}`)
    const clients = await Promise.all(names.map((name) => asked(at, headers, name)))
    const answers = await Promise.all(
      clients.map(({ order }, n) => order(`canary ${n}`, era === 'legacy' ? 8 : 1)),
    )
    expect(answers).toEqual(names.map((name, n) => `canary ${n}: accept {"size":"${name}"}`))
    expect(clients.map(({ questions }) => questions)).toEqual(
      names.map((_, n) => [asks(`canary ${n}`)]),
    )
  },
)

promise(
  ['CS-MCP-30'],
  'a question that could be about several calls is put to nobody',
  async () => {
    const at = await shop(AS_PROCESS)
    const headers = await at.agent('a')
    const [ana, bo] = [await asked(at, headers, 'ana'), await asked(at, headers, 'bo')]
    const [tea, milk] = await Promise.all([ana.order('tea', 2), bo.order('milk', 2)])
    for (const answer of [tea, milk]) {
      expect(answer).toContain('nothing says which of the open calls this question is about')
    }
    expect([...ana.questions, ...bo.questions]).toEqual([])
  },
)

promise(
  ['CS-MCP-31'],
  'a no stands until a client of the newer era has been silent for half an hour',
  async () => {
    let ahead = 0
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
    onTestFinished(() => void vi.restoreAllMocks())
    const said = await echoUpstream()
    const store = memoryStore({ clock: () => Date.now() + ahead })
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: true }\n`,
      { store },
    )
    const client = new ModernClient({ name: 'newer', version: '1' }, PIN)
    const requestInit = { headers: await at.agent('a') }
    await client.connect(new ModernTransport(at.url, { requestInit }))
    onTestFinished(() => client.close())
    const say = async (text: string) =>
      textOf(await client.callTool({ name: 'echo_echo', arguments: { say: text } }))
    const first = say('hello')
    const denied = await at.answer('deny')
    expect(await first).toContain('was denied by a person')
    expect(await say('hello')).toContain('was already denied by a person in this run')
    // A request now and then is no silence.
    for (let turn = 0; turn < 3; turn++) {
      ahead += 20 * 60_000
      expect(await say('hello')).toContain('was already denied by a person in this run')
    }
    expect((await store.list({})).approvals.map(({ id }) => id)).toEqual([denied])
    ahead += 31 * 60_000
    const later = say('hello')
    await at.answer('approve')
    expect(await later).toBe('hello')
    expect(said.calls).toHaveLength(1)
  },
)
