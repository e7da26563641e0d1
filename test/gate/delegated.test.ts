import { expect, onTestFinished, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { running } from '../server/harness.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const POLICY = `
local_agents:
  - alias: financial_executor
    approval: { condition: { args_match: { parent.input.risk_level: { in: [high, critical] } } } }
  - { alias: reader }
`

function inProcess() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  return createGate({ policy: policyOf(POLICY), store, run: 'chat-1' })
}

async function overHttp() {
  const { server } = running({ policy: `version: 1\n${POLICY}` })
  const { token } = await server.credentials.tokens.create({ agent: 'bot' })
  const gate = remoteGate({
    url: 'http://127.0.0.1:4747',
    token,
    run: 'chat-1',
    fetch: async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const headers = { ...(init?.headers as Record<string, string>), host: '127.0.0.1:4747' }
      return server.app.request(`${pathname}${search}`, { ...init, headers })
    },
  })
  await gate.ready()
  return gate as unknown as Gate
}

promise.each(
  ['AF-49'],
  'the arguments of a delegation do not stand in for what the delegating agent was given',
  [
    ['in process', inProcess],
    ['over HTTP', overHttp],
  ],
  async (_where, open) => {
    const gate = await open()
    const executor = vi.fn(() => 'traded')
    const given = { risk_level: 'low', 'parent.input.risk_level': 'low', parent: { input: {} } }
    let calls = 0
    const delegate = (options?: { readonly parent?: { risk_level?: string } }) => {
      calls += 1
      const handed = gate.delegate('financial_executor', executor, options)
      return handed(given, { key: `k${calls}`, wait: false })
    }
    for (const options of [undefined, {}, { parent: {} }, { parent: { risk_level: 'critical' } }]) {
      await expect(delegate(options)).rejects.toMatchObject({
        code: 'pending',
        modelMessage: expect.stringContaining('waits for a person'),
      })
    }
    expect(executor).not.toHaveBeenCalled()
    expect(await delegate({ parent: { risk_level: 'low' } })).toBe('traded')
    // Where no rule reads it, nothing changes.
    expect(await gate.delegate('reader', () => 'read')({}, { key: 'r' })).toBe('read')
  },
)
