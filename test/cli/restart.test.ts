import { expect, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { signIn, start } from './started.ts'

const POLICY = 'version: 1\ntools: { pay: { approval: true } }\n'
const CALLS = 40

promise(
  ['CS-SERVE-8', 'CS-GATE-1'],
  'calls that wait under one token go on waiting while the server is restarted, and run once',
  async () => {
    const cwd = folder({ 'countersign.yaml': POLICY })
    const first = await start(cwd, ['--port', '0'])
    // The same after a restart, as an address behind a name is.
    const { port } = new URL(first.url)
    const made = await countersign(['token', 'create', '--agent', 'bot'], {
      cwd,
      env: { HOME: cwd },
    })
    let polls = 0
    const gate = remoteGate({
      url: `http://127.0.0.1:${port}`,
      token: made.stdout.trim(),
      fetch(input, init) {
        if (String(input).includes('?wait=')) polls += 1
        return fetch(input, init)
      },
    })
    const pay = vi.fn(({ n }) => n)
    const running = Array.from({ length: CALLS }, (_, n) =>
      gate.run({ tool: 'pay', run: 'r', args: { n } }, pay),
    )
    await vi.waitFor(() => expect(polls).toBe(CALLS), { timeout: 20_000 })
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const { url } = await start(cwd, ['--port', port])
    const headers = { ...(await signIn(url)), 'content-type': 'application/json' }
    const get = async (path: string) =>
      (await (await fetch(new URL(path, url), { headers })).json()) as {
        approvals: { id: string; digest: string }[]
      }
    const { approvals } = await get('/v1/approvals?status=pending&limit=100')
    expect(approvals).toHaveLength(CALLS)
    for (const { id, digest } of approvals) {
      const body = JSON.stringify({ verdict: 'approve', digest })
      const address = new URL(`/v1/approvals/${id}/decisions`, url)
      expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200)
    }
    const outcomes = await Promise.all(running)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(CALLS).fill('succeeded'))
    expect(pay).toHaveBeenCalledTimes(CALLS)
    // Once before, about once a second while it was away, and once afterwards.
    expect(polls).toBeLessThan(CALLS * 15)
  },
)
