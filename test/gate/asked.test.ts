import { expect, test } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { call as modelCall, say, waiting } from '../../src/testing/adapter-play.ts'
import { WHERE, world } from '../adapters/ai-sdk-play.ts'

function called(tool: string, amount: number, key = 'c1') {
  return { ...{ tool, args: modelCall(key, tool, amount).args }, run: 'chat-1', key }
}

test.each(WHERE)('looking whether a call was asked about asks nobody: %s', async (_where, open) => {
  const { gate, ...rest } = await world(open)
  const own = { gate, ...rest }
  expect(await gate[internals].asked(called('pay', 1))).toBeUndefined()
  expect(await gate[internals].asked(called('read', 1))).toBeUndefined()
  expect(await gate[internals].asked({ tool: 'pay', args: { amount: 1 } })).toBeUndefined()
  await waiting(own, 0)
  // What policy denies is denied, asked about or not.
  expect(await gate[internals].asked(called('nuke', 1))).toMatchObject({
    status: 'blocked',
    code: 'denied_by_policy',
  })
  await gate.check(called('pay', 1))
  expect(await gate[internals].asked(called('pay', 1))).toMatchObject({ status: 'pending' })
  const [asked] = await waiting(own, 1)
  // The same key for another call, the same call under another key or in another run.
  expect(await gate[internals].asked(called('pay', 2))).toMatchObject({
    status: 'blocked',
    code: 'key_reused',
  })
  expect(await gate[internals].asked(called('pay', 1, 'c2'))).toBeUndefined()
  expect(await gate[internals].asked({ ...called('pay', 1), run: 'chat-2' })).toBeUndefined()
  await say(own, asked, 'approve')
  expect(await gate[internals].asked(called('pay', 1))).toMatchObject({ status: 'approved' })
  await waiting(own, 0)
})

test.each(WHERE)(
  'what a function asked about is found although it is allowed now: %s',
  async (_where, open) => {
    const { gate, ...rest } = await world(open)
    const declared = { approval: true, byFunction: true }
    expect(await gate[internals].asked(called('read', 1), { declared })).toBeUndefined()
    await waiting({ gate, ...rest }, 0)
    await gate.check(called('read', 1), { declared })
    expect(await gate[internals].asked(called('read', 1), { declared })).toMatchObject({
      status: 'pending',
    })
    const released = { approval: false, byFunction: true }
    expect(await gate[internals].asked(called('read', 1), { declared: released })).toMatchObject({
      status: 'pending',
    })
  },
)

test.each(WHERE)(
  'when approvals cannot be reached, nothing is said to be unasked: %s',
  async (_where, open) => {
    const { gate, breakDown } = await world(open)
    breakDown()
    const looked = await gate[internals].asked(called('pay', 1)).catch(() => ({ status: 'thrown' }))
    expect(looked).toMatchObject({ status: expect.stringMatching(/blocked|thrown/) })
  },
)
