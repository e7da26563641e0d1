import { expect } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const POLICY = `version: 1
tools:
  pay:
    approval:
      approvers: ["*"]
      reasons: { deny: [Wrong account, " Not this month "], approve: [Invoice checked] }
  note: { approval: true }
governance:
  - id: big
    match: { tool: pay }
    approval: { condition: { args_match: { amount: { gt: 100 } } }, reasons: { deny: [Over budget, Wrong account] } }
`

promise(
  ['CS-INBOX-41'],
  'a card offers the reasons of the rules that asked, and a chosen one is recorded as text',
  async () => {
    const { send, person, agent } = running({ policy: POLICY })
    const bot = await agent('bot')
    const ana = await person('ana@example.com', ['approver'])
    const ask = async (tool: string, args: object) => {
      const asked = await send('/v1/calls', { as: bot, body: { tool, args } })
      return (await send(`/v1/approvals/${asked.at('id')}`, { as: ana })).body as ApprovalCard
    }
    expect((await ask('note', {})).reasons).toBeUndefined()
    expect((await ask('pay', { amount: 1 })).reasons).toEqual({
      deny: ['Wrong account', 'Not this month'],
      approve: ['Invoice checked'],
    })
    const { id, digest, reasons } = await ask('pay', { amount: 500 })
    expect(reasons?.deny).toEqual(['Wrong account', 'Not this month', 'Over budget'])
    const body = { verdict: 'deny', digest, reason: reasons?.deny?.[2] }
    await send(`/v1/approvals/${id}/decisions`, { as: ana, body })
    const after = (await send(`/v1/approvals/${id}`, { as: ana })).body as ApprovalCard
    expect(after.decisions).toMatchObject([{ verdict: 'deny', reason: 'Over budget' }])
  },
)

promise(['CS-INBOX-41'], 'a reason to choose is a short line, and there are at most nine', () => {
  const mistakes = (reasons: string) => {
    const text = `version: 1\ntools: { pay: { approval: { reasons: ${reasons} } } }\n`
    const loaded = loadOwner({ file: 'countersign.yaml', text })
    return loaded.ok ? [] : loaded.mistakes.map(({ message }) => message)
  }
  expect(mistakes('{ deny: [Wrong account] }')).toEqual([])
  expect(mistakes('{ deny: [] }')).not.toEqual([])
  expect(mistakes('{ deny: ["  "] }')).not.toEqual([])
  expect(mistakes('{ deny: ["two\\nlines"] }')).not.toEqual([])
  expect(mistakes(`{ deny: ["${'x'.repeat(81)}"] }`)).not.toEqual([])
  expect(mistakes('{ deny: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }')).not.toEqual([])
  expect(mistakes('{ denied: [no] }')).not.toEqual([])
})
