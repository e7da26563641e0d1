/** What only AWS Lambda does: callbacks with an id for each wait, branches, and stopping. */
import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import { CountersignError } from '../../src/base/errors.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import {
  type CallbackClient,
  type HistoryEvent,
  waitForApproval,
  wakeUps,
  withdrawEnded,
} from '../../src/workflows/aws-durable/index.ts'
import { idIn, runName } from '../../src/workflows/engine.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { type EmulatedLambda, emulateLambda } from './aws-durable-lambda.ts'
import { CASE_RULES } from './worker-config.ts'
import { eventually } from './world.ts'

let lambda: EmulatedLambda
let gate: Gate

const FUNCTIONS: Readonly<Record<string, (context: DurableContext) => Promise<unknown>>> = {
  /** Three branches, which ask the same by one name. */
  async alike(context) {
    const branch = (index: number) => async (child: DurableContext) => {
      const { status } = await waitForApproval(child, gate, {
        name: 'alike',
        title: `Branch ${index}`,
      })
      return `${index} ${status}`
    }
    const done = await context.parallel('all', [branch(0), branch(1), branch(2)])
    done.throwIfError()
    return done.getResults()
  },
  async waits(context) {
    return (await waitForApproval(context, gate, { name: 'waits' })).status
  },
  /** The handler has serializers of its own, which know nothing of ours. */
  async serialized(context) {
    const broken = async (): Promise<never> => {
      throw new Error('not mine')
    }
    context.configureSerdes({
      defaultSerdes: { serialize: broken, deserialize: broken },
      defaultCallbackDeserializer: { deserialize: broken },
    })
    return (await waitForApproval(context, gate, { name: 'serialized' })).status
  },
  async mistaken(context) {
    await waitForApproval(context, { ...gate, check: refuse }, { name: 'mistaken' })
  },
}

let refused = 0

async function refuse(): Promise<never> {
  refused += 1
  throw new CountersignError('policy_invalid', 'the policy has a mistake')
}

beforeAll(async () => {
  lambda = await emulateLambda(async (workflow, event) => {
    const handler = withDurableExecution(
      async (_: JsonObject, context: DurableContext) => FUNCTIONS[workflow]?.(context),
      { durableExecutionClient: lambda },
    )
    const context = { getRemainingTimeInMillis: () => 60_000 }
    return handler(event, context as Parameters<typeof handler>[1])
  })
  gate = createGate({
    policy: policyOf(CASE_RULES),
    store: memoryStore(),
    agent: 'biller',
    channels: [wakeUps(lambda)],
  })
})

afterAll(async () => {
  await gate.close()
  await lambda.close()
})

async function pending(arn: string, count = 1): Promise<Approval[]> {
  return eventually('it is asked', async () => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] }, {})
    const own = approvals.filter(({ call }) => idIn('aws-durable', call.run) === arn)
    return own.length === count ? own : undefined
  })
}

async function answer({ id, digest }: Approval, verdict: 'approve' | 'deny') {
  await gate.approvals.decide(id, { by: ana, verdict, seen: digest })
}

async function statusOf({ id }: Approval) {
  return (await gate.approvals.get(id))?.approval.status
}

function end(arn: string) {
  return eventually('it ends', async () => lambda.result(arn))
}

describe.concurrent('AWS Lambda alone', () => {
  promise(
    ['CS-FLOW-3'],
    'branches that ask by one name have an answer each, in whatever order they come',
    async () => {
      const arn = await lambda.start('alike', {})
      for (const [index, verdict] of [
        [2, 'approve'],
        [0, 'deny'],
        [1, 'approve'],
      ] as const) {
        const open = await pending(arn, index === 2 ? 3 : index === 0 ? 2 : 1)
        const shown = await Promise.all(open.map(({ id }) => gate.approvals.get(id)))
        const one = shown.find((found) => found?.question?.message === `Branch ${index}`)
        if (!one) throw new Error(`${index} was not asked`)
        await answer(one.approval, verdict)
      }
      expect(await end(arn)).toEqual({ output: ['0 denied', '1 approved', '2 approved'] })
    },
    60_000,
  )

  promise(
    ['CS-FLOW-2'],
    'a callback with a claim, with no JSON, or failed makes it look, and nothing else',
    async () => {
      const arn = await lambda.start('waits', {})
      const [question] = await pending(arn)
      if (!question) throw new Error('it was not asked')
      for (const form of ['claim', 'no JSON', 'failed', 'claim again']) {
        await eventually(`it waits, for the callback: ${form}`, async () =>
          (await lambda.forge(arn, question.id)) ? true : undefined,
        )
      }
      expect(await statusOf(question)).toBe('pending')
      expect(lambda.result(arn)).toBeUndefined()
      await answer(question, 'deny')
      expect(await end(arn)).toEqual({ output: 'denied' })
    },
    60_000,
  )

  test('serializers that the handler has set as its default do not touch it', async () => {
    const arn = await lambda.start('serialized', {})
    const [question] = await pending(arn)
    if (question) await answer(question, 'approve')
    expect(await end(arn)).toEqual({ output: 'approved' })
  }, 60_000)

  test('a mistake of the program ends it, and is not tried again', async () => {
    const arn = await lambda.start('mistaken', {})
    expect(await end(arn)).toEqual({ error: 'the policy has a mistake' })
    expect(refused).toBe(1)
  }, 60_000)

  promise(
    ['CS-FLOW-5'],
    '`withdrawEnded` withdraws what stopped executions asked, and leaves the others',
    async () => {
      const [stopped, running] = [await lambda.start('waits', {}), await lambda.start('waits', {})]
      const [[question], [other]] = [await pending(stopped), await pending(running)]
      if (!question || !other) throw new Error('they were not asked')
      await lambda.stopDurableExecution({ DurableExecutionArn: stopped })
      const broken = () => Promise.reject(new Error('throttled'))
      await expect(withdrawEnded({ getDurableExecution: broken }, gate)).rejects.toThrow(
        'throttled',
      )
      expect(await statusOf(question)).toBe('pending')
      await withdrawEnded(lambda, gate)
      expect(await statusOf(question)).toBe('withdrawn')
      expect(await statusOf(other)).toBe('pending')
    },
    60_000,
  )
})

describe('the callback to wake', () => {
  const ARN = 'arn:aws:lambda:eu-central-1:1:function:expense:1/durable-execution/a b/c'
  const notice = {
    id: 'n1',
    kind: 'approved',
    approval: { id: 'a1', run: `${runName('aws-durable', ARN)}/review%231` },
  }

  const started = (Id: string, approval = 'a1'): HistoryEvent => ({
    EventType: 'CallbackStarted',
    Id,
    Name: `countersign:${approval}`,
    CallbackStartedDetails: { CallbackId: `callback ${Id}` },
  })

  async function wokenBy(...pages: HistoryEvent[][]): Promise<unknown[]> {
    const sent: unknown[] = []
    const client: CallbackClient = {
      async getDurableExecutionHistory({ DurableExecutionArn, Marker = '0' }) {
        expect(DurableExecutionArn).toBe(ARN)
        const next = Number(Marker) + 1
        const more = next < pages.length ? { NextMarker: String(next) } : {}
        return { Events: pages[Number(Marker)] ?? [], ...more }
      },
      async sendDurableExecutionCallbackSuccess(request) {
        sent.push(request)
      },
    }
    await wakeUps(client).send(
      { ...notice, at: Date.now() } as unknown as Notice,
      AbortSignal.timeout(5_000),
    )
    return sent
  }

  promise(['CS-FLOW-2'], 'is the open one of this approval, and gets no result', async () => {
    const ended = { EventType: 'CallbackTimedOut', Id: 'old' }
    const events = [started('other', 'a2'), ended, started('new'), started('old')]
    expect(await wokenBy(events)).toEqual([{ CallbackId: 'callback new' }])
    expect(await wokenBy([ended], [started('new')])).toEqual([{ CallbackId: 'callback new' }])
  })

  promise(['CS-FLOW-2'], 'is tried again later where the execution does not wait', async () => {
    const ended = { EventType: 'CallbackSucceeded', Id: 'old' }
    await expect(wokenBy([ended, started('old')])).rejects.toMatchObject({ retryAfter: 500 })
    await expect(wokenBy([ended], [started('old')])).rejects.toMatchObject({ retryAfter: 500 })
    await expect(wokenBy([started('other', 'a2')])).rejects.toMatchObject({ retryAfter: 500 })
  })
})
