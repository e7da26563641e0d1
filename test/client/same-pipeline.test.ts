import { expect, onTestFinished, test, vi } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { NotStarted } from '../../src/gate/tool.ts'
import type { ToolGate } from '../../src/gate/tool-gate.ts'
import { kim } from '../../src/testing/adapter-play.ts'
import { type OpenWorld, WORLDS } from '../adapters/worlds.ts'

/*
 * A gate in the process and a gate over a server run the same pipeline. What a caller can see of it
 * is told apart by nothing but where the approval is stored.
 */

const pay = { tool: 'pay', run: 'r', key: 'k', args: { amount: 5 } }

async function pendingIn(world: OpenWorld, count = 1) {
  return vi.waitFor(async () => {
    const { approvals } = await world.approvals.list({ status: ['pending'] })
    expect(approvals).toHaveLength(count)
    return approvals
  })
}

async function decideAll(world: OpenWorld, verdict: 'approve' | 'deny'): Promise<void> {
  for (const { id, digest } of await pendingIn(world)) {
    await world.approvals.decide(id, { by: kim, verdict, seen: digest })
  }
}

for (const [name, open] of Object.entries(WORLDS)) {
  async function world(): Promise<OpenWorld> {
    const own = await open()
    onTestFinished(() => own.close())
    return own
  }

  test(`${name}: a second caller waits for the result of the first instead of running twice`, async () => {
    const own = await world()
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<string>()
    const tool = vi.fn(() => {
      started.resolve()
      return finish.promise
    })
    const first = own.gate.run(pay, tool)
    await decideAll(own, 'approve')
    await started.promise
    const second = own.again().run(pay, tool)
    finish.resolve('paid')
    expect(await first).toMatchObject({ status: 'succeeded', result: 'paid' })
    expect(await second).toMatchObject({ status: 'succeeded', result: 'paid', replayed: true })
    expect(tool).toHaveBeenCalledTimes(1)
  })

  test(`${name}: a caller is told what waits, and may leave the question to a later call`, async () => {
    const own = await world()
    const leave = new AbortController()
    const onPending = vi.fn(() => leave.abort())
    const tool = vi.fn(() => 'paid')
    const outcome = await own.gate.run(pay, tool, { onPending, detach: leave.signal })
    expect(outcome).toMatchObject({ status: 'pending', ran: false })
    const [waiting] = await pendingIn(own)
    expect(onPending).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: waiting?.id }))
    await decideAll(own, 'approve')
    expect(await own.gate.run(pay, tool)).toMatchObject({ status: 'succeeded', result: 'paid' })
  })

  test(`${name}: one of two callers that stops waiting withdraws nothing`, async () => {
    const own = await world()
    const stop = new AbortController()
    const tool = vi.fn(() => 'paid')
    let asked = 0
    const onPending = () => {
      asked += 1
    }
    const leaving = own.gate.run(pay, tool, { signal: stop.signal, onPending })
    const staying = own.gate.run(pay, tool, { onPending })
    await vi.waitFor(() => expect(asked).toBe(2))
    stop.abort()
    expect(await leaving).toMatchObject({ status: 'pending', ran: false })
    await decideAll(own, 'approve')
    expect(await staying).toMatchObject({ status: 'succeeded', result: 'paid' })
  })

  test(`${name}: a call that was claimed and never started is told as one that did not run`, async () => {
    const own = await world()
    const running = own.gate.run(pay, () => {
      throw new NotStarted('the bank is closed')
    })
    await decideAll(own, 'approve')
    expect(await running).toMatchObject({ status: 'blocked', code: 'not_started', ran: false })
    const again = await own.gate.run(pay, () => 'paid')
    expect(again).toMatchObject({ status: 'blocked', code: 'not_started', ran: false })
  })

  test(`${name}: a failure is told once, also when it is told again`, async () => {
    const own = await world()
    const running = own.gate.run(pay, () => {
      throw new Error('no money')
    })
    await decideAll(own, 'approve')
    const failed = 'The call to pay ran and failed. Reason: no money.'
    expect(await running).toMatchObject({ status: 'failed', modelMessage: failed })
    expect(await own.gate.run(pay, () => 'paid')).toMatchObject({
      status: 'failed',
      replayed: true,
      modelMessage: failed,
    })
  })

  test(`${name}: what is hidden of the arguments is not told by a tool that fails`, async () => {
    const own = await world()
    const args = { amount: 5, password: 'canary-password' }
    const running = own.gate.run({ ...pay, args }, () => {
      throw new Error('refused: canary-password')
    })
    await decideAll(own, 'approve')
    const outcome = await running
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome.modelMessage).not.toContain('canary')
    const [approval] = (await own.approvals.list({})).approvals
    expect(JSON.stringify(approval)).not.toContain('canary')
  })

  test(`${name}: a call that has run is approved, and gives its result when it is made again`, async () => {
    const own = await world()
    const gate: ToolGate = own.gate
    const running = gate.run(pay, () => 'paid')
    await decideAll(own, 'approve')
    expect(await running).toMatchObject({ status: 'succeeded' })
    expect(await gate[internals].asked(pay)).toMatchObject({ status: 'approved' })
    expect(await gate.run(pay, () => 'twice')).toMatchObject({ result: 'paid', replayed: true })
  })
}
