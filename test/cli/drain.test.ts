import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { signIn, start } from './started.ts'

const SOON = { timeout: 20_000, interval: 50 }
const SLOW = path.resolve(import.meta.dirname, '../mcp/slow-server.ts')

async function tokenIn(cwd: string): Promise<string> {
  const made = await countersign(['token', 'create', '--agent', 'bot'], { cwd, env: { HOME: cwd } })
  return made.stdout.trim()
}

promise(
  ['CS-SERVE-2'],
  'a claimed call that a remote agent runs while the server restarts is told to the next one',
  async () => {
    const cwd = folder({ 'countersign.yaml': 'version: 1\ntools: { pay: { approval: true } }\n' })
    const first = await start(cwd)
    const headers = { ...(await signIn(first.url)), 'content-type': 'application/json' }
    const bot = {
      authorization: `Bearer ${await tokenIn(cwd)}`,
      'content-type': 'application/json',
    }
    const post = async (base: string, at: string, body: object, as: Record<string, string>) => {
      const init = { method: 'POST', headers: as, body: JSON.stringify(body) }
      const answer = await fetch(new URL(at, base), init)
      return { status: answer.status, body: (await answer.json()) as Record<string, string> }
    }
    const asked = (await post(first.url, '/v1/calls', { tool: 'pay', run: 'r', args: {} }, bot))
      .body
    const { id, digest } = asked
    const yes = { verdict: 'approve', digest }
    expect((await post(first.url, `/v1/approvals/${id}/decisions`, yes, headers)).status).toBe(200)
    const { claim } = (await post(first.url, `/v1/approvals/${id}/claim`, { digest }, bot)).body
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const second = await start(cwd)
    const result = { claim, outcome: 'succeeded', result: { sent: true } }
    expect((await post(second.url, `/v1/approvals/${id}/result`, result, bot)).status).toBe(200)
    const again = await post(second.url, `/v1/approvals/${id}/claim`, { digest }, bot)
    expect(again.status).not.toBe(200)
  },
)

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

promise.each(
  ['CS-SERVE-2'],
  'a call at /mcp that runs while the server is told to stop is waited for and answered, of a client of',
  [
    ['2025-11-25', 'in time'],
    ['2026-07-28', 'in time'],
    ['2025-11-25', 'never'],
    ['2026-07-28', 'never'],
  ],
  async (version, done) => {
    const cwd = folder()
    const [go, began] = [path.join(cwd, 'go'), path.join(cwd, 'began')]
    writeFileSync(
      path.join(cwd, 'countersign.yaml'),
      `version: 1\nmcp_servers:\n  - { alias: slow, command: ${process.execPath}, args: [${SLOW}, ${go}, tools/call, ${began}], approval: false }\n`,
    )
    const { url, child, ended } = await start(cwd)
    const bot = { authorization: `Bearer ${await tokenIn(cwd)}` }
    const json = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const send = (more: Record<string, string>, id: number, method: string, params: object) =>
      fetch(new URL('/mcp', url), {
        method: 'POST',
        headers: { ...bot, ...json, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      })
    const call = { name: 'slow_crawl', arguments: {} }
    let calling: Promise<Response>
    if (version === '2026-07-28') {
      const headers = {
        'mcp-method': 'tools/call',
        'mcp-name': 'slow_crawl',
        'mcp-protocol-version': version,
      }
      calling = send(headers, 3, 'tools/call', { ...call, _meta: MODERN })
    } else {
      const hello = await send({}, 1, 'initialize', {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'wire', version: '1' },
      })
      await hello.text()
      const named = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' }
      calling = send(named, 3, 'tools/call', call)
    }
    await vi.waitFor(() => expect(existsSync(began)).toBe(true), SOON)
    child.kill('SIGTERM')
    if (done === 'in time') {
      // It has heard of it when it takes no more connections.
      const refused = () => fetch(new URL('/healthz', url), { headers: { connection: 'close' } })
      await vi.waitFor(async () => await expect(refused()).rejects.toThrow(), SOON)
      writeFileSync(go, '')
    }
    const answer = await calling
    expect(await answer.text()).toMatch(
      done === 'in time'
        ? /"id":3\b.*"there"/
        : /"id":3\b.*(?:may have run|nobody knows whether it took effect)/,
    )
    expect(await ended).toBe(0)
  },
)

promise(
  ['CS-SERVE-2'],
  'a remote call that waits for a person goes on with the server that comes after',
  async () => {
    const cwd = folder({ 'countersign.yaml': 'version: 1\ntools: { pay: { approval: true } }\n' })
    const first = await start(cwd)
    const { port } = new URL(first.url)
    const token = await tokenIn(cwd)
    const headers = await signIn(first.url)
    const gate = remoteGate({ url: new URL('/', first.url).href, token })
    let ran = 0
    const call = { tool: 'pay', run: 'r', key: 'k', args: {} }
    const running = gate.run(call, () => {
      ran += 1
      return 'paid'
    })
    const waiting = async (base: string, as: Record<string, string>) => {
      const page = await fetch(new URL('/v1/approvals?status=pending', base), { headers: as })
      const { approvals } = (await page.json()) as { approvals: { id: string; digest: string }[] }
      return approvals
    }
    await vi.waitFor(async () => expect(await waiting(first.url, headers)).toHaveLength(1), SOON)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const second = await start(cwd, ['--port', port])
    const person = await signIn(second.url)
    const [asked] = await waiting(second.url, person)
    const decided = await fetch(new URL(`/v1/approvals/${asked?.id}/decisions`, second.url), {
      method: 'POST',
      headers: { ...person, 'content-type': 'application/json' },
      body: JSON.stringify({ verdict: 'approve', digest: asked?.digest }),
    })
    expect(decided.status).toBe(200)
    expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
    expect(ran).toBe(1)
    expect(await waiting(second.url, person)).toEqual([])
  },
)
