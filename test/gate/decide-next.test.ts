import { expect, onTestFinished } from 'vitest'
import { decideNext } from '../../src/testing/decide-next.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BOTH, setUp } from './gates.ts'

const POLICY = `version: 1
people: { groups: { finance: [ana@example.com, bo@example.com], legal: [cy@example.com] } }
tools:
  pay: { approval: true }
  wire: { approval: { quorum: [{ group: finance, n: 2 }, { group: legal, n: 1 }] } }
`
const policy = policyOf(POLICY)

promise.each(
  ['CS-TEST-1'],
  'decideNext approves, denies, edits and attaches',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name, { policy })
    const yes = gate.run({ tool: 'pay', args: { amount: 5 } }, tool)
    await decideNext(gate, 'approve', { args: { amount: 4 }, payload: { note: 'half' } })
    expect(await yes).toMatchObject({ status: 'succeeded', payload: { note: 'half' } })
    expect(tool.starts[0]?.args).toEqual({ amount: 4 })
    const no = gate.run({ tool: 'pay', args: { amount: 6 } }, tool)
    await decideNext(gate, 'deny', { reason: 'too much' })
    expect(await no).toMatchObject({ status: 'blocked', code: 'denied', ran: false })
    expect((await no).modelMessage).toContain('too much')
  },
)

promise(['CS-TEST-1'], 'decideNext answers for everybody a quorum needs', async () => {
  const { gate, tool } = await setUp('memory', { policy })
  const running = gate.run({ tool: 'wire', args: {} }, tool)
  const { decisions } = await decideNext(gate, 'approve', { tool: 'wire' })
  expect(decisions).toHaveLength(3)
  expect(await running).toMatchObject({ status: 'succeeded' })
})

promise(
  ['CS-TEST-1'],
  'decideNext says what to do when nothing was asked, and refuses production',
  async () => {
    const { gate } = await setUp('memory', { policy })
    await expect(decideNext(gate, 'approve', { within: 20 })).rejects.toMatchObject({
      code: 'approval_not_found',
      hint: expect.stringContaining('without awaiting it'),
    })
    const before = process.env.NODE_ENV
    onTestFinished(() => {
      process.env.NODE_ENV = before
    })
    process.env.NODE_ENV = 'production'
    await expect(decideNext(gate, 'approve')).rejects.toMatchObject({ code: 'mode_refused' })
  },
)
