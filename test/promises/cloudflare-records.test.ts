import { expect } from 'vitest'
import { type Answered, POLICY, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

const WIRE = { tool: 'wire', run: 'month end', args: { amount: 900, confirm: true } }

async function asked() {
  const own = running({ policy: POLICY })
  const bot = await own.agent('bot')
  const [fay, finn] = [await own.person('fay@example.com'), await own.person('finn@example.com')]
  const ask = (key: string) => own.send('/v1/calls', { as: bot, body: { ...WIRE, key } })
  const waiting = () => own.send('/v1/approvals?status=pending', { as: fay })
  const decide = (call: Answered, as: typeof fay, body: object) =>
    own.send(`/v1/approvals/${call.at('id')}/decisions`, {
      as,
      body: { digest: call.at('digest'), ...body },
    })
  return { ...own, bot, fay, finn, ask, waiting, decide }
}

promise(
  ['CF-38', 'CF-44'],
  'what was asked waits under an id of its own, with everything a list needs',
  async () => {
    const { ask, waiting, send, fay } = await asked()
    const [one, two] = [await ask('1'), await ask('2')]
    expect(one.at('id')).toMatch(/^[0-9a-z]{30,}$/)
    expect(two.at('id')).not.toBe(one.at('id'))
    const { body } = await waiting()
    const found = (body as { approvals: { id: string }[] }).approvals
    expect(found.map(({ id }) => id).toSorted()).toEqual([one.at('id'), two.at('id')].toSorted())
    expect(found[0]).toMatchObject({
      tool: 'wire',
      agent: 'bot',
      risk: 'L4',
      status: 'pending',
      askedAt: expect.any(Number),
      decideBy: expect.any(Number),
    })
    // What would run, to the last argument: on the card that the row opens.
    const card = await send(`/v1/approvals/${one.at('id')}`, { as: fay })
    expect(JSON.parse(card.at('arguments') as string)).toEqual(WIRE.args)
  },
)

promise(
  ['CF-10', 'CF-41'],
  'two people answer: the record tells of both, and the list of what waits is shorter',
  async () => {
    const { ask, waiting, decide, send, fay, finn } = await asked()
    const [yes, no] = [await ask('yes'), await ask('no')]
    await decide(yes, fay, { verdict: 'approve' })
    const half = await send(`/v1/approvals/${yes.at('id')}`, { as: finn })
    expect(half.body).toMatchObject({
      status: 'pending',
      met: { have: 1, need: 2 },
      requirements: [{ quorum: [{ group: 'finance', n: 2, have: 1 }] }],
      decisions: [{ verdict: 'approve', at: expect.any(Number), by: { email: 'fay@example.com' } }],
    })
    await decide(yes, finn, { verdict: 'approve' })
    await decide(no, finn, { verdict: 'deny', reason: 'Not this month' })
    const denied = await send(`/v1/approvals/${no.at('id')}`, { as: finn })
    expect(denied.body).toMatchObject({
      status: 'denied',
      decisions: [{ verdict: 'deny', reason: 'Not this month', by: { email: 'finn@example.com' } }],
    })
    expect((await waiting()).body).toMatchObject({ approvals: [] })
  },
)

promise(['CF-35'], 'a call that says it was confirmed waits like any other', async () => {
  const { ask } = await asked()
  expect((await ask('1')).body).toMatchObject({ status: 'pending' })
})
