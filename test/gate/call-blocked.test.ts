import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import type { ErrorCode } from '../../src/base/errors.ts'
import { CallBlocked, isCallBlocked } from '../../src/gate/call-blocked.ts'
import type { Guarded } from '../../src/gate/guard.ts'
import { blocked } from '../../src/gate/outcome.ts'
import { say, waiting } from '../../src/testing/adapter-play.ts'
import { type OpenWorld, WORLDS } from '../adapters/worlds.ts'
import { promise } from '../support/promise.ts'

const BOTH = Object.entries(WORLDS)

async function opened(open: () => Promise<OpenWorld>): Promise<OpenWorld> {
  const world = await open()
  onTestFinished(() => world.close())
  return world
}

const thrown = (calling: Promise<unknown>) =>
  calling.then(
    (result) => expect.fail(`it gave ${JSON.stringify(result)}`),
    (error: unknown) => error,
  )

promise.each(
  ['CS-GATE-13'],
  'a refusal is recognised by its brand and its code, never by its words',
  BOTH,
  async (where, open) => {
    const own = await opened(open)
    const work = vi.fn(() => 'paid')
    const paying = thrown(own.gate.guard(work, { name: 'pay' })({}, { run: 'r', key: '1' }))
    const [one] = await waiting(own, 1)
    await say(own, one, 'deny', { reason: 'not this month' })
    const error = await paying
    expect(isCallBlocked(error)).toBe(true)
    expect(isCallBlocked(error, 'denied')).toBe(true)
    expect(isCallBlocked(error, 'expired')).toBe(false)
    expect(error).toBeInstanceOf(CallBlocked)
    const { message, modelMessage, ...fields } = error as CallBlocked
    expect(fields).toMatchObject({ name: 'CallBlocked', status: 'blocked', ran: false })
    expect(modelMessage).toMatch(/^The call to pay was denied by a person and did not run/)
    expect(modelMessage).toContain('not this month')
    expect([message, String(error)]).toEqual([modelMessage, modelMessage])
    // An agent elsewhere learns nothing of the people who decided.
    const approval = where === 'in process' ? { id: one?.id, status: 'denied' } : undefined
    if (approval) expect(fields.approval).toMatchObject(approval)
    else expect(fields.approval).toBeUndefined()
    const nuke = thrown(own.gate.guard(work, { name: 'nuke' })({}, { run: 'r', key: '2' }))
    expect(isCallBlocked(await nuke, 'denied_by_policy')).toBe(true)
    expect(work).not.toHaveBeenCalled()
  },
)

test('an error of a second copy of the package is recognised, and what looks like one is not', async () => {
  vi.resetModules()
  const copy = await import('../../src/gate/call-blocked.ts')
  const error = new copy.CallBlocked(blocked('locked', { tool: 'pay' }))
  expect(error).not.toBeInstanceOf(CallBlocked)
  expect(isCallBlocked(error, 'locked')).toBe(true)
  for (const other of [
    new Error('The call to pay was denied by a person and did not run.'),
    { name: 'CallBlocked', code: 'denied', status: 'blocked', modelMessage: 'no' },
    JSON.parse(JSON.stringify(error)),
    'The call to pay is locked and did not run.',
    undefined,
    null,
  ]) {
    expect(isCallBlocked(other)).toBe(false)
  }
})

promise.each(
  ['CS-GATE-13'],
  'a tool that returns a sentence of ours has returned a result',
  BOTH,
  async (_where, open) => {
    const { gate } = await opened(open)
    const text = 'The call to read was denied by a person and did not run.'
    const read = gate.guard(() => text, { name: 'read' })
    expect(await read({}, { run: 'r', key: '1' })).toBe(text)
  },
)

test('a guarded function has the type of the function', async () => {
  const { gate } = await opened(WORLDS['in process'])
  const paid = ({ amount }: { amount: number }) => ({ paid: amount, to: 'Lena' })
  const pay = gate.guard(paid, { name: 'read' })
  expectTypeOf(pay).toEqualTypeOf<
    Guarded<{ amount: number }, { readonly paid: number; readonly to: string }>
  >
  expectTypeOf(pay).parameter(0).toEqualTypeOf<{ amount: number }>()
  expectTypeOf(pay).returns.resolves.toEqualTypeOf<{ paid: number; to: string }>()
  const later = gate.guard(async () => 7, { name: 'read' })
  expectTypeOf(later).returns.resolves.toEqualTypeOf<number>()
  const handed = gate.delegate('researcher', async (_: { task: string }) => 'done')
  expectTypeOf(handed).returns.resolves.toEqualTypeOf<string>()
  expectTypeOf<CallBlocked['code']>().toEqualTypeOf<ErrorCode>()
  expect((await pay({ amount: 5 })).paid).toBe(5)
})

promise.each(
  ['CS-GATE-16'],
  'what a person changed is told beside the result, which stays the tool’s own',
  BOTH,
  async (_where, open) => {
    const own = await opened(open)
    const pay = own.gate.guard(({ amount }: { amount: number }) => ({ paid: amount }), {
      name: 'pay',
    })
    const said: string[] = []
    const onModelMessage = (text: string) => void said.push(text)
    const paying = pay({ amount: 5 }, { run: 'r', key: '1', onModelMessage })
    const [one] = await waiting(own, 1)
    await say(own, one, 'approve', { args: { amount: 3 } })
    expect(await paying).toEqual({ paid: 3 })
    expect(said).toEqual([expect.stringContaining('amount is now 3')])
    // Read again under its key, it is told again; without a listener the result is the same.
    expect(await pay({ amount: 5 }, { run: 'r', key: '1', onModelMessage })).toEqual({ paid: 3 })
    expect(said[1]).toContain('amount is now 3')
    expect(await pay({ amount: 5 }, { run: 'r', key: '1' })).toEqual({ paid: 3 })
  },
)

promise.each(
  ['CS-GATE-6'],
  'a call that ran and whose result is not stored is not run again, and says that it ran',
  BOTH,
  async (_where, open) => {
    const own = await opened(open)
    const work = vi.fn(() => 'x'.repeat(2_000_000))
    const pay = own.gate.guard(work, { name: 'pay' })
    const paying = pay({}, { run: 'r', key: '1' })
    const [one] = await waiting(own, 1)
    await say(own, one, 'approve')
    expect(await paying).toHaveLength(2_000_000)
    const error = await thrown(pay({}, { run: 'r', key: '1' }))
    expect(isCallBlocked(error, 'content_gone')).toBe(true)
    expect(error).toMatchObject({ status: 'succeeded', ran: true })
    expect((error as CallBlocked).modelMessage).not.toContain('did not run')
    expect(work).toHaveBeenCalledTimes(1)
  },
)

promise.each(
  ['CS-GATE-6'],
  'a failure that is told again is an error with the sentence, and nothing runs',
  BOTH,
  async (_where, open) => {
    const own = await opened(open)
    const work = vi.fn(() => {
      throw new TypeError('no route')
    })
    const pay = own.gate.guard(work, { name: 'pay' })
    const first = thrown(pay({}, { run: 'r', key: '1' }))
    const [one] = await waiting(own, 1)
    await say(own, one, 'approve')
    expect(await first).toBeInstanceOf(TypeError)
    const again = await thrown(pay({}, { run: 'r', key: '1' }))
    expect(again).toBeInstanceOf(Error)
    expect((again as Error).message).toMatch(/^The call to pay ran and failed\. Reason: .*no route/)
    expect(isCallBlocked(again)).toBe(false)
    expect(work).toHaveBeenCalledTimes(1)
  },
)

promise.each(
  ['CS-GATE-6'],
  'without waiting, a call that is asked about is thrown as pending, and found again by its key',
  BOTH,
  async (_where, open) => {
    const own = await opened(open)
    const work = vi.fn(() => 'paid')
    const pay = own.gate.guard(work, { name: 'pay' })
    const calling = () => pay({}, { run: 'r', key: '1', wait: false })
    const error = await thrown(calling())
    expect(isCallBlocked(error, 'pending')).toBe(true)
    expect(error).toMatchObject({ status: 'pending', ran: false })
    expect((error as CallBlocked).modelMessage).toContain('waits for a person')
    const [one] = await waiting(own, 1)
    expect(isCallBlocked(await thrown(calling()), 'pending')).toBe(true)
    expect(work).not.toHaveBeenCalled()
    await say(own, one, 'approve')
    expect(await calling()).toBe('paid')
    expect(work).toHaveBeenCalledTimes(1)
  },
)
