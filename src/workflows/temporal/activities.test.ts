import { ApplicationFailure, asyncLocalStorage, type Context } from '@temporalio/activity'
import { expect, test } from 'vitest'
import { CountersignError } from '../../base/errors.ts'
import type { WorkflowGate } from '../gates.ts'
import { countersignActivities } from './activities.ts'
import type { Sent } from './protocol.ts'

const looking = { n: 0, looks: [1_000] }

function sentBy(workflow: string, more: Partial<Sent> = {}): Sent {
  const call = { tool: 'review', args: {}, run: `temporal:${workflow}/r1`, key: 'review' }
  return { kind: 'question', call, ...more }
}

/** In an activity of the workflow w1. Resolves with what it throws. */
async function thrownBy(work: () => Promise<unknown>, attempt = 1): Promise<unknown> {
  const workflowExecution = { workflowId: 'w1', runId: 'r1' }
  const context = { info: { attempt, workflowExecution }, heartbeat() {} } as unknown as Context
  try {
    return await asyncLocalStorage.run(context, work)
  } catch (error) {
    return error
  }
}

/** A gate that can be asked nothing. */
function broken(error: Error): WorkflowGate {
  const fail = () => Promise.reject(error)
  return { check: fail, run: fail, approvals: { withdraw: fail } }
}

test('a refusal of ours ends the workflow at once', async () => {
  const gate = broken(new CountersignError('invalid_call', 'not a call'))
  const { countersignAsk } = countersignActivities(gate)
  const error = await thrownBy(() => countersignAsk(sentBy('w1'), looking))
  expect(error).toBeInstanceOf(ApplicationFailure)
  expect(error).toMatchObject({ nonRetryable: true, details: [{ code: 'invalid_call' }] })
})

test('a gate that is away is looked at again, without a failure', async () => {
  const gate = broken(new CountersignError('store_unavailable', 'away'))
  const { countersignAsk, countersignRun } = countersignActivities(gate)
  const away = { is: 'away', code: 'store_unavailable' }
  expect(await thrownBy(() => countersignAsk(sentBy('w1'), looking))).toMatchObject(away)
  expect(await thrownBy(() => countersignRun(sentBy('w1'), looking))).toMatchObject(away)
})

test('any other error may pass, and ends the workflow where it does not', async () => {
  const full = new RangeError('the disk is full')
  const { countersignRun } = countersignActivities(broken(full))
  const attempts = (attempt: number) =>
    thrownBy(() => countersignRun(sentBy('w1'), looking), attempt)
  expect(await attempts(4)).toBe(full)
  expect(await attempts(5)).toMatchObject({
    nonRetryable: true,
    type: 'RangeError',
    message: 'the disk is full',
  })
})

test('a tool that this worker does not know may be known to another one', async () => {
  const { countersignRun } = countersignActivities(broken(new Error('never asked')))
  const step = sentBy('w1', { kind: 'step' })
  for (const attempt of [1, 50]) {
    expect(await thrownBy(() => countersignRun(step, looking), attempt)).toMatchObject({
      nonRetryable: false,
      type: 'NotFoundError',
    })
  }
})

test.each([
  sentBy('w2'),
  sentBy('w1x'),
  sentBy(''),
  { ...sentBy('w1'), call: { ...sentBy('w1').call, run: 'temporal:w1' } },
])('an activity asks for its own workflow only: %j', async (sent) => {
  const { countersignAsk, countersignRun, countersignWithdraw } = countersignActivities(
    broken(new Error('it was asked')),
  )
  for (const activity of [countersignAsk, countersignRun, countersignWithdraw]) {
    expect(await thrownBy(() => activity(sent, looking))).toMatchObject({
      nonRetryable: true,
      details: [{ code: 'usage' }],
    })
  }
})

test('two tools of one name are refused when the worker starts', () => {
  const pay = { name: 'pay', run: () => 'paid' }
  const gate = broken(new Error('never asked'))
  expect(() => countersignActivities(gate, { pay, other: { ...pay } })).toThrow(/two tools/)
})
