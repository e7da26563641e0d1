import { expect, test, vi } from 'vitest'
import { CountersignError } from '../../src/base/errors.ts'
import { isCallBlocked } from '../../src/gate/call-blocked.ts'
import { promise } from '../support/promise.ts'
import { PAY, type Remote, remote } from './remote.ts'

/** Decides whatever is pending, as soon as something is. */
async function decide({ own, ana }: Remote, verdict: string, more: object = {}): Promise<void> {
  const list = await vi.waitFor(async () => {
    const found = await own.send('/v1/approvals?status=pending', { as: ana })
    expect(found.at('approvals.0.id')).toBeTypeOf('string')
    return found
  })
  const body = { verdict, digest: list.at('approvals.0.digest'), ...more }
  const path = `/v1/approvals/${list.at('approvals.0.id')}/decisions`
  const answer = await own.send(path, { as: ana, body })
  expect(answer.status).toBe(200)
}

promise(
  ['CF-5'],
  'what an approver attaches reaches those who wait over HTTP, and is there when they ask again',
  async () => {
    const all = await remote()
    const payload = { account: 'B' }
    const running = all.gate.run(PAY, () => 'paid')
    await decide(all, 'approve', { payload })
    expect(await running).toMatchObject({ status: 'succeeded', payload })
    expect(await all.gate.check(PAY)).toMatchObject({ status: 'approved', payload })
    expect(await all.gate.run(PAY, () => 'paid twice')).toMatchObject({ replayed: true, payload })
  },
)

promise(['CS-GATE-6'], 'a key of any length names its call over HTTP too', async () => {
  const all = await remote()
  const call = { ...PAY, key: `call_${'s'.repeat(5_000)}` }
  const running = all.gate.run(call, () => 'paid')
  await decide(all, 'approve')
  expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
  expect(await all.gate.run(call, () => 'paid twice')).toMatchObject({ replayed: true })
})

test('what the policy allows runs without asking the server', async () => {
  const { gate, sent } = await remote()
  await gate.ready()
  expect(sent.toSorted()).toEqual(['GET /v1/locks', 'GET /v1/policy'])
  const call = { tool: 'pay', args: { amount: 5, to: 'Lena' } }
  const outcome = await gate.run(call, ({ amount }) => `paid ${amount}`)
  expect(outcome).toEqual({ status: 'succeeded', ran: true, result: 'paid 5' })
  expect(sent).not.toContain('POST /v1/calls')
})

test('what a person approves runs once, with what they approved, and the server knows', async () => {
  const own = await remote()
  const tool = vi.fn(({ amount }) => ({ paid: amount }))
  const running = own.gate.run(PAY, tool)
  await decide(own, 'approve', { edit: { arguments: { amount: 300, to: 'Lena' } } })
  expect(await running).toMatchObject({
    status: 'succeeded',
    result: { paid: 300 },
    modelMessage: expect.stringContaining('amount is now 300'),
  })
  // The same call again is answered with what became of it.
  expect(await own.gate.run(PAY, tool)).toMatchObject({ replayed: true, result: { paid: 300 } })
  expect(tool).toHaveBeenCalledTimes(1)
})

promise(
  ['CS-MCP-24'],
  'a tool that does not know how it ended tells the server nothing, and is not run again',
  async () => {
    const own = await remote()
    const tool = vi.fn(() => {
      throw new CountersignError('outcome_unknown', 'the line went dead')
    })
    const running = own.gate.run(PAY, tool)
    await decide(own, 'approve')
    const outcome = await running
    expect(outcome).toMatchObject({ status: 'unknown', ran: 'unknown' })
    expect(outcome).toMatchObject({ modelMessage: expect.stringContaining('the line went dead') })
    expect(own.sent.filter((line) => line.endsWith('/result'))).toEqual([])
    // Until the lease runs out; then the sweeper says that nobody knows.
    const { approvals } = await own.own.store.list({})
    expect(approvals[0]?.execution?.state).toBe('running')
    expect(tool).toHaveBeenCalledTimes(1)
  },
)

test('what a person denies does not run, and the model is told', async () => {
  const own = await remote()
  const tool = vi.fn()
  const running = own.gate
    .guard(tool, { name: 'pay' })(PAY.args)
    .catch((error: unknown) => error)
  await decide(own, 'deny', { reason: 'Not this month' })
  const error = await running
  expect(isCallBlocked(error, 'denied')).toBe(true)
  expect(error).toMatchObject({
    status: 'blocked',
    ran: false,
    modelMessage: expect.stringMatching(
      /denied by a person and did not run\. Reason: Not this month\./,
    ),
  })
  expect(tool).not.toHaveBeenCalled()
})

test('a key that names another call already is refused for good, a silent server is not', async () => {
  const { gate, away } = await remote()
  expect(await gate.check(PAY)).toMatchObject({ status: 'pending' })
  const changed = { ...PAY, args: { amount: 9_000, to: 'Mallory' } }
  expect(await gate.check(changed)).toMatchObject({ status: 'blocked', code: 'key_reused' })
  away(true)
  await expect(gate.check(PAY)).rejects.toMatchObject({ code: 'server_unreachable' })
})

test('what governance denies is refused here and there', async () => {
  const { gate } = await remote()
  const outcome = await gate.run({ tool: 'wipe_all', args: {} }, () => 'wiped')
  expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'denied_by_policy' })
})

test('a tool that fails has failed for the server as well', async () => {
  const own = await remote()
  const running = own.gate.run(PAY, () => {
    throw new Error('no money')
  })
  await decide(own, 'approve')
  expect(await running).toMatchObject({ status: 'failed', ran: true })
  const list = await own.own.send('/v1/approvals?status=approved', { as: own.ana })
  expect(list.body).toMatchObject({ approvals: [{ execution: 'failed' }] })
})

test('whoever stops waiting leaves nothing behind that could run', async () => {
  const own = await remote()
  const tool = vi.fn()
  expect(await own.gate.run(PAY, tool, { waitFor: '1s' })).toMatchObject({
    status: 'blocked',
    code: 'withdrawn',
    ran: false,
  })
  const stop = new AbortController()
  const running = own.gate.run({ ...PAY, key: 'k2' }, tool, { signal: stop.signal })
  await vi.waitFor(async () => {
    const found = await own.own.send('/v1/approvals?status=pending', { as: own.ana })
    expect(found.body).toMatchObject({ approvals: [{}] })
  })
  stop.abort()
  expect(await running).toMatchObject({ status: 'blocked', code: 'withdrawn', ran: false })
  const left = await own.own.send('/v1/approvals?status=withdrawn', { as: own.ana })
  expect(left.body).toMatchObject({ approvals: [{}, {}] })
  expect(tool).not.toHaveBeenCalled()
})

test('a server that is away while somebody waits is asked again when it is back', async () => {
  const own = await remote()
  const running = own.gate.run(PAY, () => 'paid')
  await vi.waitFor(() => expect(own.sent.at(-1)).toContain('/v1/approvals/'))
  own.away(true)
  await decide(own, 'approve')
  own.away(false)
  expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
})

test('a claim whose answer was lost starts nothing', async () => {
  const own = await remote()
  const tool = vi.fn()
  const running = own.gate.run(PAY, tool)
  own.lose('/claim')
  await decide(own, 'approve')
  expect(await running).toMatchObject({ status: 'blocked', code: 'not_started', ran: false })
  expect(tool).not.toHaveBeenCalled()
})
