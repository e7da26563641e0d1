import { expect, test } from 'vitest'
import { shownRisk } from '../../src/base/call.ts'
import { rowOf } from '../../src/server/view/row.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BOTH, deny, kim, nextPending, setUp } from './gates.ts'

const nameOf = ({ issuer, subject }: { issuer: string; subject: string }) => ({ issuer, subject })

const policy = policyOf(`
  mcp_servers: [{ alias: files, command: x, approval: true }]
  governance: [{ id: harmless, match: { risk: { lt: L4 } }, approval: true }]`)
const call = { server: 'files', tool: 'wipe', args: {} }

promise.each(
  ['CS-RISK-1'],
  'a tool that looks dangerous is shown so, and rules about risk hold as if nobody knew',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name, { policy })
    const running = gate.run(call, { name: 'wipe', looks: 'L5', run: tool })
    const approval = await nextPending(gate)
    expect(rowOf(approval, undefined, kim, { nameOf })).toMatchObject({
      risk: 'L5',
      riskGuessed: true,
    })
    expect(approval.call.risk).toBeUndefined()
    const rules = approval.requirements.map(({ rule }) => rule)
    expect(rules).toContain('governance.harmless')
    // The riskiest comes first in the list, also by its looks.
    void gate.run({ ...call, tool: 'read' }, { name: 'read', looks: 'L1', run: tool })
    await expect
      .poll(async () => (await gate.approvals.list({ status: ['pending'] })).approvals.length)
      .toBe(2)
    const { approvals } = await gate.approvals.list({ status: ['pending'] }, { order: 'risk' })
    expect(approvals.map(({ call }) => call.tool)).toEqual(['wipe', 'read'])
    expect(rowOf(approvals[1] ?? approval, undefined, kim, { nameOf })).not.toHaveProperty('risk')
    for (const one of approvals) await deny(gate, one)
    await running
    expect(tool.starts).toEqual([])
  },
)

test.each([
  [{}, {}],
  [{ looks: 'L3' }, {}],
  [{ looks: 'L4' }, { risk: 'L4', riskGuessed: true }],
  [{ risk: 'L2' }, { risk: 'L2' }],
  [{ risk: 'L2', looks: 'L1' }, { risk: 'L2' }],
  [{ risk: 'L5', looks: 'L4' }, { risk: 'L5' }],
  [
    { risk: 'L1', looks: 'L4' },
    { risk: 'L4', riskGuessed: true },
  ],
] as const)('%j is shown as %j', (call, shown) => {
  expect(shownRisk(call)).toEqual(shown)
})
