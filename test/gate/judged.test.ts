import { expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const POLICY = `version: 1
tools: { read: { approval: false } }
governance:
  - { id: no-wipes, match: { tool: "wipe*" }, deny: Nothing is wiped here. }
`

promise(
  ['CS-EVIDENCE-3'],
  'every way by which a call passes is counted once, also those that cost nothing',
  async () => {
    const gate = createGate({ policy: policyOf(POLICY), store: memoryStore(), agent: 'bot' })
    const heard: unknown[] = []
    gate.on('judged', (judged) => heard.push(judged))
    const passes = async (way: () => unknown) => {
      heard.length = 0
      await way()
      return heard.slice()
    }
    const call = { tool: 'read', args: {} }
    const once = [{ verdict: 'allow', agent: 'bot', tool: 'read' }]
    const read = gate.guard(async (_args: object) => 'text', { name: 'read' })
    const ways = [
      () => gate.run(call, async () => 'text'),
      () => read({}),
      () => gate.check({ ...call }, { isParsed: true }),
      () => gate.check({ ...call }),
      () => gate[internals].allowedBytes({ ...call }),
    ]
    for (const way of ways) expect([String(way), await passes(way)]).toEqual([String(way), once])
    const denied = await passes(() => gate.check({ tool: 'wipe', args: {} }))
    expect(denied).toEqual([
      { verdict: 'deny', agent: 'bot', tool: 'wipe', rule: 'governance.no-wipes' },
    ])
  },
)
