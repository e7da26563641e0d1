import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK } from './gateway.ts'
import { type GatewayOptions, gateway } from './http-gateway.ts'
import { type WireSession, wireSession } from './http-wire.ts'

const SLOW = path.resolve(import.meta.dirname, 'slow-server.ts')

function bank(options: GatewayOptions, approval = false) {
  const witness = path.join(folder(), 'witness')
  return gateway(
    `version: 1\nmcp_servers:\n  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} }, approval: ${approval} }\n`,
    options,
  )
}

const look = (session: WireSession) => session.call('bank_look', { what: 'a' })
const SAW = 'saw a with nothing'

promise(
  ['CS-MCP-50'],
  'one token never holds every process of a server, however many sessions it opens',
  async () => {
    const at = await bank({ processes: 3 })
    const greedy = await at.agent('greedy')
    const sessions = [await wireSession(at, greedy), await wireSession(at, greedy)]
    for (const session of sessions) expect(await look(session)).toBe(SAW)
    const third = await wireSession(at, greedy)
    expect(await look(third)).toMatch(
      /this token has 2 of the 3 processes of server bank.*kept for other tokens.*End sessions.*--mcp-processes/s,
    )
    // A name that a client chooses is no identity: the same token stays the same.
    expect(await look(await wireSession(at, greedy))).toContain('this token has 2')
    expect(await look(await wireSession(at, await at.agent('modest')))).toBe(SAW)
    // Whatever was there goes on.
    for (const session of sessions) expect(await look(session)).toBe(SAW)
  },
)

promise(
  ['CS-MCP-50'],
  'a token below its share gets a process of one above: idle sessions first, listening or not',
  async () => {
    const at = await bank({ processes: 4 })
    const greedy = await at.agent('greedy')
    const sessions: WireSession[] = []
    for (let i = 0; i < 3; i++) sessions.push(await wireSession(at, greedy))
    for (const session of sessions) {
      // An open stream alone keeps no process from those who have none.
      await session.listen()
      expect(await look(session)).toBe(SAW)
    }
    for (const name of ['one', 'two']) {
      expect(await look(await wireSession(at, await at.agent(name))), name).toBe(SAW)
    }
    const statuses = await Promise.all(sessions.map(async (one) => (await one.post('ping')).status))
    // The one that was used longest ago; its client hears it and opens another.
    expect(statuses).toEqual([404, 200, 200])
    // Four processes, four tokens: one each, and then everybody has their share.
    expect(await look(await wireSession(at, await at.agent('three')))).toBe(SAW)
    expect(await look(await wireSession(at, await at.agent('four')))).toMatch(
      /server bank runs as often as it may \(4\).*--mcp-processes/s,
    )
  },
)

promise(
  ['CS-MCP-50'],
  'a call that waits for a person does not keep a process from a token below its share',
  async () => {
    const at = await bank({ processes: 3 }, true)
    const greedy = await at.agent('greedy')
    const waiting: Promise<string>[] = []
    for (let i = 0; i < 2; i++) {
      const session = await wireSession(at, greedy)
      waiting.push(session.call('bank_pay', { to: 'Lena', amount: i }))
      await expect.poll(async () => (await at.store.list({})).approvals.length).toBe(i + 1)
    }
    for (const name of ['one', 'two']) {
      const listed = await (await wireSession(at, await at.agent(name))).post('tools/list')
      expect(await listed.text(), name).toContain('bank_pay')
    }
    const { approvals } = await at.store.list({})
    expect(approvals.map(({ status }) => status).sort()).toEqual(['pending', 'withdrawn'])
    await Promise.any(waiting)
  },
)

promise(
  ['CS-MCP-50'],
  'a call that was sent to its server is never ended to make room',
  async () => {
    const file = path.join(folder(), 'go')
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: slow, command: ${process.execPath}, args: [${SLOW}, ${file}, tools/call], approval: false }\n`,
      { processes: 3 },
    )
    const greedy = await at.agent('greedy')
    const running: Promise<string>[] = []
    for (let i = 0; i < 2; i++) {
      const session = await wireSession(at, greedy)
      await session.post('tools/list')
      running.push(session.call('slow_crawl'))
    }
    const one = await wireSession(at, await at.agent('one'))
    running.push(one.call('slow_crawl'))
    const two = await wireSession(at, await at.agent('two'))
    expect(await two.call('slow_crawl')).toMatch(/server slow runs as often as it may \(3\)/)
    writeFileSync(file, '')
    expect(await Promise.all(running)).toEqual(['there', 'there', 'there'])
  },
)

promise(
  ['CS-MCP-51'],
  'streams of a session and of a token are bounded; the next is refused and none is cut',
  async () => {
    const at = await bank({})
    const headers = await at.agent('a')
    const first = await wireSession(at, headers)
    const streams: Response[] = []
    for (let i = 0; i < 32; i++) streams.push(await first.listen())
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    const refused = await first.listen()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({
      error: {
        message: expect.stringMatching(/session has 32 streams open.*Close one/),
        data: { 'countersign/code': 'too_many_requests' },
      },
    })
    // The oldest is still there: what is said later arrives on one of them.
    expect(await Promise.race([ended(streams[0]), look(first)])).toBe(SAW)

    for (let i = 0; i < 3; i++) {
      const more = await wireSession(at, headers)
      for (let j = 0; j < 32; j++) streams.push(await more.listen())
    }
    const last = await wireSession(at, headers)
    const over = await last.listen()
    expect(over.status).toBe(429)
    expect(await over.text()).toContain('this token has 128 streams open')
    expect((await (await wireSession(at, await at.agent('b'))).listen()).status).toBe(200)
    await streams[1]?.body?.cancel()
    await expect.poll(async () => (await last.listen()).status).toBe(200)
  },
)

async function ended(response: Response | undefined): Promise<string> {
  await response?.text().catch(() => {})
  return 'ended'
}

promise(
  ['CS-MCP-51'],
  'open requests of a session and of a token are bounded, and those open go on',
  async () => {
    const file = path.join(folder(), 'go')
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: slow, command: ${process.execPath}, args: [${SLOW}, ${file}, tools/call], approval: false }\n`,
    )
    const session = await wireSession(at, await at.agent('a'))
    await session.post('tools/list')
    const open = Array.from({ length: 257 }, () =>
      session.post('tools/call', { name: 'slow_crawl', arguments: {} }),
    )
    const refused = await Promise.race(open)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('session has 256 requests open')
    writeFileSync(file, '')
    const statuses = (await Promise.all(open)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(256)
  },
)
