import { expect } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import type { ToolGate } from '../../src/gate/tool-gate.ts'
import { promise } from '../support/promise.ts'
import { HOST, type Running, running } from './harness.ts'

const POLICY = 'version: 1\ntools: { pay: { approval: { approvers: ["*"] } } }\n'

async function overHttp(own: Running) {
  const { authorization = '' } = await own.agent('bot')
  return remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    fetch: (input, init) => {
      const { pathname, search } = new URL(String(input))
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return Promise.resolve(own.server.app.request(`${pathname}${search}`, { ...init, headers }))
    },
  })
}

const BACKENDS: readonly [string, (own: Running) => Promise<ToolGate>][] = [
  ['in process', async (own) => own.server.gate.with({ agent: 'bot', run: 'r' })],
  ['over HTTP', async (own) => (await overHttp(own)) as unknown as ToolGate],
]

promise.each(
  ['CS-SEC-10'],
  'a result that code declares as dropped is not kept',
  BACKENDS,
  async (_, open) => {
    const own = running({ policy: POLICY })
    const ana = await own.person('ana@example.com')
    const gate = await open(own)
    const declared = { approval: true, result: 'drop' } as const
    const call = { tool: 'pay', run: 'r', args: { x: 1 } }
    const ran = gate.run(call, () => 'xyzzy', { declared })
    await expect
      .poll(async () => (await own.store.list({ status: ['pending'] })).approvals.length)
      .toBe(1)
    const [asked] = (await own.store.list({ status: ['pending'] })).approvals
    await own.send(`/v1/approvals/${asked?.id}/decisions`, {
      as: ana,
      body: { verdict: 'approve', digest: asked?.digest },
    })
    expect(await ran).toMatchObject({ status: 'succeeded', result: 'xyzzy' })
    expect((await own.store.get(asked?.id ?? ''))?.execution).toMatchObject({
      state: 'succeeded',
      noResult: 'dropped',
    })
    expect(JSON.stringify(await own.store.content(asked?.id ?? ''))).not.toContain('xyzzy')
  },
)
