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

promise(
  ['CS-GRANT-10'],
  'what a delegating agent was told takes part in it as people see it: masked',
  async () => {
    const policy = `version: 1
local_agents:
  - { alias: clerk, approval: { approvers: ["*"] } }
`
    const { send, agent, person } = running({ policy })
    const bot = await agent('bot')
    const ana = await person('ana@example.com')
    const ask = async (n: number) => {
      const parent = { input: { topic: 'rent', password: 'hunter2-hunter2' } }
      const body = { kind: 'agent', tool: 'clerk', args: { n }, parent }
      return (await send('/v1/calls', { as: bot, body })).at('id')
    }
    await ask(1)
    const id = await ask(2)
    const covered = async (condition: object) => {
      const body = { condition: { args_match: condition } }
      const answer = await send(`/v1/approvals/${id}/grant-proposal`, { as: ana, body })
      return (answer.body as { recorded?: { covered: number } }).recorded?.covered
    }
    expect(await covered({ 'parent.input.topic': 'rent' })).toBe(1)
    expect(await covered({ 'parent.input.password': { pattern: '^hunter' } })).toBe(0)
  },
)
