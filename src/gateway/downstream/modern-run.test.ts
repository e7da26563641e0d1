import { expect, onTestFinished, vi } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { promise } from '../../../test/support/promise.ts'
import { createGate } from '../../gate/gate.ts'
import { memoryStore } from '../../store/memory/index.ts'
import { createRuns, SILENCE_MS } from './modern-run.ts'

/** A store whose clock is ours, and as many servers on it as are wanted. */
function servers() {
  let ahead = 0
  const real = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
  onTestFinished(() => void vi.restoreAllMocks())
  const store = memoryStore({ clock: () => 1_700_000_000_000 + ahead })
  return { store, pass: (ms: number) => (ahead += ms), server: () => createRuns(store) }
}

promise(['CS-MCP-31'], 'a run is the same on every server, until there is silence', async () => {
  const { pass, server } = servers()
  const [one, two] = [server(), server()]
  const first = await Promise.all([one('t', 'a'), one('t', 'a'), two('t', 'a')])
  expect(new Set(first).size).toBe(1)
  expect(await one('other', 'a')).not.toBe(first[0])
  for (let turn = 0; turn < 4; turn++) {
    pass(SILENCE_MS - 1)
    expect(await [one, two][turn % 2]?.('t', 'a')).toBe(first[0])
  }
  pass(SILENCE_MS)
  const next = await Promise.all([two('t', 'a'), one('t', 'a'), server()('t', 'a')])
  expect(new Set(next).size).toBe(1)
  expect(next[0]).not.toBe(first[0])
})

promise(['CS-MCP-31'], 'what is open keeps its run, what was denied does not', async () => {
  const { store, pass, server } = servers()
  const runs = server()
  const run = await runs('t', 'a')
  const policy = policyOf('tools: { pay: { approval: { decide_by: 30d } } }')
  const gate = createGate({ policy, store, agent: 'a', run })
  const asked = await gate.check({ tool: 'pay', args: {} }, { join: 'digest' })
  if (asked.status !== 'pending') throw new Error(asked.status)
  pass(SILENCE_MS * 10)
  expect(await runs('t', 'a')).toBe(run)
  const ana = {
    issuer: 'local',
    subject: 'ana',
    roles: ['approver'] as const,
    groups: [],
    assurance: 'signed-in' as const,
  }
  const { id, digest } = asked.approval
  await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
  pass(SILENCE_MS - 1)
  expect(await runs('t', 'a')).toBe(run)
  pass(SILENCE_MS)
  expect(await runs('t', 'a')).not.toBe(run)
})
