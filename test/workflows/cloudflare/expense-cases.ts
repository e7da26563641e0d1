import assert from 'node:assert/strict'
import type { Approval } from '../../../src/approval/approval.ts'
import type { KeptReport } from '../../../src/gate/admin/run-reports.ts'
import type { Gate } from '../../../src/gate/gate.ts'
import { ana } from '../../../src/testing/adapter-play.ts'
import { idIn } from '../../../src/workflows/engine.ts'
import { eventually } from '../world.ts'
import type { Expense } from './expense.ts'

/** A Worker with the agent and its workflow, and a server that keeps the approvals. */
export interface Cloud {
  readonly gate: Gate
  /** How soon workflows look by themselves; undefined where the webhook wakes them. */
  readonly looks: readonly string[] | undefined
  /** What steps and callbacks did, in order. */
  lines(): readonly string[]
  /** Calls a `@callable` method over a socket of the application's session, or of none. */
  call(session: 'uma' | 'mallory' | undefined, method: string, ...args: unknown[]): Promise<Told>
  /** Over one socket, whatever its answer is. */
  send(session: 'uma' | 'mallory' | undefined, frame: object): Promise<void>
  /** Has the agent's own code approve. */
  unasked(id: string): Promise<string>
  /** What the page of the run shows that asked for this approval. */
  reports(approval: Approval): Promise<readonly KeptReport[]>
  /** Resolves when the instance waits for an event, and everything before is kept. */
  waiting(id: string): Promise<void>
  /** Ends the Worker in the middle of whatever it does, and starts another. */
  restart(): Promise<void>
}

export interface Told {
  readonly result?: unknown
  readonly error?: string
}

export interface ExpenseCase {
  readonly name: string
  run(cloud: Cloud, id: string): Promise<void>
}

const UMA = 'uma@example.com'

async function submit(cloud: Cloud, id: string, more: Partial<Expense> = {}): Promise<void> {
  const { looks } = cloud
  const expense = { amount: 5, by: UMA, ...(looks ? { looks } : {}), ...more }
  assert.equal((await cloud.call('uma', 'submit', id, expense)).error, undefined)
}

interface Pending {
  readonly id: string
  readonly workflowId: string
  readonly message: string
  readonly requestedAt: number
  readonly expiresAt: number
}

async function pending(cloud: Cloud, id: string): Promise<Pending[]> {
  const { result } = await cloud.call('uma', 'pending')
  return (result as Pending[]).filter(({ workflowId }) => workflowId === id)
}

const waits = (cloud: Cloud, id: string, not: readonly string[] = []) =>
  eventually(`${id} waits`, async () =>
    (await pending(cloud, id)).find((one) => !not.includes(one.id)),
  )

/** How the instance ended. */
const end = (cloud: Cloud, id: string) =>
  eventually(`${id} ends`, async () => {
    const { result } = await cloud.call('uma', 'look', id)
    const { status, output, error } = result as Record<string, unknown>
    const isOver = ['complete', 'errored', 'terminated'].includes(String(status))
    return isOver ? { status, output, error: JSON.stringify(error ?? null) } : undefined
  })

/** The newest approval of the run finds its page. */
async function reported(cloud: Cloud, id: string): Promise<readonly object[]> {
  const [approval = assert.fail(`${id} asked nothing`)] = await approvals(cloud, id)
  const reports = await cloud.reports(approval)
  return reports.map(({ at: _, approval: __, ...words }) => words)
}

async function approvals({ gate }: Cloud, id: string): Promise<Approval[]> {
  const { approvals: all } = await gate.approvals.list({}, {})
  return all.filter(({ call }) => idIn('cloudflare', call.run) === id)
}

function count(cloud: Cloud, line: string): number {
  return cloud.lines().filter((one) => one === line).length
}

const comes = (cloud: Cloud, line: string) =>
  eventually(line, async () => (count(cloud, line) > 0 ? true : undefined))

export const expenseCases: readonly ExpenseCase[] = [
  {
    name: 'a signed-in user approves through the agent, and the workflow goes on with what they attached',
    async run(cloud, id) {
      await submit(cloud, id)
      const asked = await waits(cloud, id)
      assert.equal(asked.message, 'Awaiting approval for $5')
      assert.ok(asked.requestedAt <= Date.now() && asked.expiresAt > Date.now() + 6 * 86_400_000)
      assert.equal(count(cloud, `process ${id}`), 0)
      assert.deepEqual(await cloud.call('uma', 'approve', id, 'uma'), { result: null })
      const result = { status: 'approved', approvedBy: 'uma' }
      assert.partialDeepStrictEqual(await end(cloud, id), { status: 'complete', output: result })
      await comes(cloud, `complete ${id} ${JSON.stringify(result)}`)
      assert.equal(count(cloud, `validate ${id}`), 1)
      assert.equal(count(cloud, `process ${id}`), 1)
      assert.equal(count(cloud, `progress ${id} approval pending Awaiting approval for $5`), 1)
      assert.equal(count(cloud, `progress ${id} approval complete approved`), 1)
      assert.deepEqual(await pending(cloud, id), [])
      assert.deepEqual(await reported(cloud, id), [
        { type: 'progress', progress: { step: 'process', status: 'running', percent: 0.5 } },
        { type: 'complete', result },
      ])
      const [{ decisions } = assert.fail(), ...more] = await approvals(cloud, id)
      assert.deepEqual(more, [])
      assert.equal(decisions[0]?.by.email, UMA)
      assert.match(decisions[0]?.by.issuer ?? '', /^vouched:/)
      const again = await cloud.call('uma', 'approve', id, 'uma')
      assert.match(again.error ?? '', /no such question/)
    },
  },
  {
    name: 'reaching the agent answers nothing: no session, another user, its own code, forged events and state',
    async run(cloud, id) {
      await submit(cloud, id)
      const asked = await waits(cloud, id)
      const refused = async (session: 'mallory' | undefined, sentence: RegExp) => {
        for (const method of ['approve', 'reject']) {
          const { error = '' } = await cloud.call(session, method, id, 'mallory')
          assert.match(error, sentence)
        }
      }
      await refused(undefined, /no user is signed in/)
      await refused('mallory', /not made for this user/)
      assert.match(await cloud.unasked(id), /no user is signed in/)
      await cloud.call('mallory', 'forge', id, asked.id)
      const state = { pendingApprovals: [{ ...asked, id: 'another', digest: '0'.repeat(64) }] }
      await cloud.send('mallory', { type: 'cf_agent_state', state })
      await cloud.send(undefined, { type: 'rpc', id: 'x', method: 'approveWorkflow', args: [id] })
      assert.equal((await waits(cloud, id)).id, asked.id)
      const [approval] = await approvals(cloud, id)
      assert.equal(approval?.status, 'pending')
      assert.equal(count(cloud, `process ${id}`), 0)
      assert.deepEqual(await cloud.call('uma', 'approve', id, 'uma'), { result: null })
      assert.partialDeepStrictEqual(await end(cloud, id), { status: 'complete' })
    },
  },
  {
    name: 'a rejection ends it with the reason, in the error of the SDK where a yes is required',
    async run(cloud, id) {
      await submit(cloud, `${id}a`)
      await submit(cloud, `${id}b`, { how: 'require' })
      await submit(cloud, `${id}c`, { how: 'pay' })
      for (const one of ['a', 'b', 'c']) {
        await waits(cloud, `${id}${one}`)
        const told = await cloud.call('uma', 'reject', `${id}${one}`, 'Not this month')
        assert.equal(told.error, undefined)
      }
      assert.partialDeepStrictEqual(await end(cloud, `${id}a`), {
        status: 'complete',
        output: { status: 'denied', reason: 'Not this month' },
      })
      const { status, error } = await end(cloud, `${id}b`)
      assert.equal(status, 'errored')
      assert.match(error, /WorkflowRejectedError/)
      assert.match(error, /Workflow rejected: Not this month/)
      await comes(cloud, `error ${id}b Workflow rejected: Not this month`)
      assert.equal(count(cloud, `error ${id}b Workflow rejected: Not this month`), 1)
      assert.deepEqual(await reported(cloud, `${id}b`), [
        { type: 'error', error: 'Workflow rejected: Not this month' },
      ])
      // Reported by no line of the workflow: the SDK does it for an error that nothing catches.
      assert.equal((await end(cloud, `${id}c`)).status, 'errored')
      const [uncaught, ...others] = await reported(cloud, `${id}c`)
      assert.partialDeepStrictEqual(uncaught, { type: 'error' })
      assert.deepEqual(others, [])
      assert.equal(count(cloud, `process ${id}a`) + count(cloud, `process ${id}b`), 0)
    },
  },
  {
    name: 'a question whose time ends is told as expired, and nothing goes on',
    async run(cloud, id) {
      await submit(cloud, `${id}a`, { timeout: '2s' })
      await submit(cloud, `${id}b`, { timeout: '2s', how: 'require' })
      const [one, other] = [await end(cloud, `${id}a`), await end(cloud, `${id}b`)]
      assert.equal(one.status, 'errored')
      assert.match(one.error, /Approval timeout/)
      await comes(cloud, `error ${id}a Approval timeout - escalating to manager`)
      assert.equal(other.status, 'errored')
      assert.match(other.error, /WorkflowTimeoutError/)
      assert.deepEqual(await reported(cloud, `${id}a`), [
        { type: 'error', error: 'Approval timeout - escalating to manager' },
      ])
      assert.equal(count(cloud, `process ${id}a`) + count(cloud, `process ${id}b`), 0)
      assert.deepEqual(await pending(cloud, `${id}a`), [])
    },
  },
  {
    name: 'what others must approve is not answered through the agent; they answer at the server',
    async run(cloud, id) {
      await submit(cloud, id, { approvers: ['ana@example.com'] })
      await waits(cloud, id)
      const { error = '' } = await cloud.call('uma', 'approve', id, 'uma')
      assert.match(error, /needs the approval of others/)
      const [approval = assert.fail()] = await approvals(cloud, id)
      const payload = { approvedBy: 'ana' }
      const seen = approval.digest
      await cloud.gate.approvals.decide(approval.id, { by: ana, verdict: 'approve', seen, payload })
      assert.partialDeepStrictEqual(await end(cloud, id), {
        output: { status: 'approved', approvedBy: 'ana' },
      })
      assert.deepEqual(await pending(cloud, id), [])
    },
  },
  {
    name: 'an answer that comes twice does not answer the next question of the workflow',
    async run(cloud, id) {
      await submit(cloud, id, { how: 'two' })
      const first = await waits(cloud, id)
      assert.equal((await cloud.call('uma', 'approve', id, 'uma')).error, undefined)
      const second = await waits(cloud, id, [first.id])
      assert.match((await cloud.call('uma', 'approve', id, 'uma')).error ?? '', /more than one/)
      const late = await cloud.call('uma', 'approve', id, 'uma', first.id)
      assert.match(late.error ?? '', /no such question/)
      assert.equal((await waits(cloud, id)).id, second.id)
      const { approvals: own } = cloud.gate
      const seen = (await own.get(second.id))?.approval.digest ?? ''
      await own.decide(second.id, { by: ana, verdict: 'deny', seen })
      assert.partialDeepStrictEqual(await end(cloud, id), { output: ['approved', 'denied'] })
    },
  },
  {
    name: 'an instance that is restarted asks again: its yes was for one run',
    async run(cloud, id) {
      await submit(cloud, id)
      const first = await waits(cloud, id)
      assert.equal((await cloud.call('uma', 'approve', id, 'uma')).error, undefined)
      assert.partialDeepStrictEqual(await end(cloud, id), { status: 'complete' })
      await cloud.call('uma', 'again', id)
      const second = await waits(cloud, id, [first.id])
      assert.equal(count(cloud, `process ${id}`), 1)
      const told = await cloud.call('uma', 'approve', id, 'uma', second.id)
      assert.equal(told.error, undefined)
      await eventually(
        'it runs again',
        async () => count(cloud, `process ${id}`) === 2 || undefined,
      )
    },
  },
  {
    name: 'a guarded tool of an AgentWorkflow runs once, after its yes',
    async run(cloud, id) {
      await submit(cloud, id, { how: 'pay' })
      await waits(cloud, id)
      assert.equal(count(cloud, `pay ${id} 5`), 0)
      assert.equal((await cloud.call('uma', 'approve', id, 'uma')).error, undefined)
      assert.partialDeepStrictEqual(await end(cloud, id), { output: { paid: 5 } })
      assert.equal(count(cloud, `pay ${id} 5`), 1)
    },
  },
  {
    name: 'a workflow that the agent terminates withdraws its question',
    async run(cloud, id) {
      await submit(cloud, id)
      const { id: approval } = await waits(cloud, id)
      assert.equal((await cloud.call('uma', 'terminate', id)).error, undefined)
      assert.equal((await cloud.gate.approvals.get(approval))?.approval.status, 'withdrawn')
      assert.deepEqual(await pending(cloud, id), [])
    },
  },
]

/** Ends the Worker, so it comes last. */
export const restartCase: ExpenseCase = {
  name: 'a Worker that is killed while people think goes on when it is back, and asks and reports once',
  async run(cloud, id) {
    await submit(cloud, id)
    const { id: asked } = await waits(cloud, id)
    await cloud.waiting(id)
    await cloud.restart()
    assert.equal((await waits(cloud, id)).id, asked)
    assert.equal((await cloud.call('uma', 'approve', id, 'uma')).error, undefined)
    assert.partialDeepStrictEqual(await end(cloud, id), { status: 'complete' })
    assert.equal(count(cloud, `validate ${id}`), 1)
    assert.equal(count(cloud, `process ${id}`), 1)
    assert.equal(count(cloud, `progress ${id} approval pending Awaiting approval for $5`), 1)
    assert.equal((await approvals(cloud, id)).length, 1)
  },
}
