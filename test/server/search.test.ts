import { expect } from 'vitest'
import type { ApprovalPage } from '../../src/api/approval.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

promise(
  ['CS-INBOX-23'],
  'a hidden value is found by no search, and agents do not search',
  async () => {
    const { send, agent, person } = running({})
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const args = { password: 'hunter2', to: 'Zoë' }
    const asked = await send('/v1/calls', { as: bot, body: { tool: 'note', args } })
    expect(asked.at('status')).toBe('pending')
    const found = async (q: string, as = ana) =>
      ((await send(`/v1/approvals?q=${encodeURIComponent(q)}`, { as })).body as ApprovalPage)
        .approvals.length
    expect(await found('zoe')).toBe(1)
    expect(await found('password')).toBe(1)
    expect(await found('hunter2')).toBe(0)
    expect(await found('hunter')).toBe(0)
    expect(await found('hunter', bot)).toBe(1)
  },
)
