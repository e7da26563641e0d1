import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

promise(
  ['CS-GRANT-10'],
  'a grant is tried on recorded calls before it is made, and learns nothing that is hidden',
  async () => {
    const { send, agent, person } = running({})
    const bot = await agent('bot')
    const ana = await person('ana@example.com')
    const vic = await person('vic@example.com', ['viewer'])
    const ask = async (args: object) =>
      (await send('/v1/calls', { as: bot, body: { tool: 'pay', args } })).body as {
        id: string
        digest: string
      }
    const denied = await ask({ amount: 120, to: 'Bo' })
    const body = { verdict: 'deny', digest: denied.digest }
    await send(`/v1/approvals/${denied.id}/decisions`, { as: ana, body })
    await ask({ amount: 150, to: 'Bo' })
    await ask({ amount: 900, to: 'Bo' })
    await ask({ amount: 150, to: 'Bo', card: '4111' })
    const { id } = await ask({ amount: 160, to: 'Bo' })
    const recorded = async (condition: object | undefined, as = ana) =>
      (
        (
          await send(`/v1/approvals/${id}/grant-proposal`, {
            as,
            body: condition === undefined ? {} : { condition: { args_match: condition } },
          })
        ).body as { recorded?: object }
      ).recorded
    expect(await recorded({ amount: { lte: 200 } })).toEqual({ calls: 4, covered: 3, refused: 1 })
    expect(await recorded({ amount: { gt: 500 } })).toEqual({ calls: 4, covered: 1, refused: 0 })
    expect(await recorded(undefined)).toEqual({ calls: 4, covered: 0, refused: 0 })
    // A hidden value answers no question about it.
    expect(await recorded({ card: '4111' })).toEqual({ calls: 4, covered: 0, refused: 0 })
    expect(await recorded({ card: { pattern: '^4' } })).toEqual({
      calls: 4,
      covered: 0,
      refused: 0,
    })
    expect(await recorded({ amount: { lte: 200 } }, vic)).toBeUndefined()
  },
)
