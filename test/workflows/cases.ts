import assert from 'node:assert/strict'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import { eventually, type Started, type World } from './world.ts'

/** What must hold on every engine. The world has one worker; every case starts its own workflows. */
export interface WorkflowCase {
  readonly name: string
  run(world: World, id: string): Promise<void>
}

async function output(world: World, started: Started): Promise<Json> {
  const end = await world.end(started)
  assert.ok('output' in end, `it failed: ${JSON.stringify(end)}`)
  return end.output
}

function count(world: World, line: string): number {
  return world.lines().filter((one) => one === line).length
}

export const workflowCases: readonly WorkflowCase[] = [
  {
    name: 'goes on with the answer, who gave it, and what they attached; steps before ran once',
    async run(world, id) {
      const started = await world.running.start('expense', { id, amount: 5 })
      const asked = await world.asked(started, 'review')
      const shown = await world.gate.approvals.get(asked.id)
      // A server shows the words of its agents as theirs.
      const title = `Review ${id} { {nothing}}`
      assert.ok(shown?.question?.message.includes(title))
      assert.equal(shown?.question?.message === title, world.tellsWho)
      assert.equal(shown?.question?.context?.says, 'before it is paid')
      assert.equal(asked.decideBy - asked.askedAt, 7 * 86_400_000)
      const payload = { release: 3, note: 'half now' }
      await world.answer(asked, 'approve', { payload })
      const args = { id, amount: 5 }
      const by = world.tellsWho ? ['ana@example.com'] : []
      const expected = { status: 'approved', by, args, payload, approval: asked.id }
      assert.deepEqual(await output(world, started), expected)
      assert.equal(count(world, `prepare ${id}`), 1)
      const { approval } = (await world.gate.approvals.get(asked.id)) ?? {}
      assert.equal(approval?.execution?.state, 'succeeded')
    },
  },
  {
    name: 'a form: the workflow gets what its approver filled in, and the approver sees its steps',
    async run(world, id) {
      const started = await world.running.start('release', { id })
      const asked = await world.asked(started, 'release')
      const { question } = (await world.gate.approvals.get(asked.id)) ?? {}
      assert.deepEqual(Object.keys((question?.form?.properties ?? {}) as object), [
        'note',
        'amount',
      ])
      assert.deepEqual(question?.context?.workflow, {
        name: 'deposit',
        step: 'release',
        done: ['prepare'],
        next: ['pay', 'mail'],
      })
      for (const payload of [{}, { amount: 501 }, { amount: '5' }] as JsonObject[]) {
        await assert.rejects(world.answer(asked, 'approve', { payload }), {
          code: 'payload_invalid',
        })
      }
      await assert.rejects(world.answer(asked, 'approve'), { code: 'payload_required' })
      await world.answer(asked, 'approve', { payload: { amount: 120 } })
      assert.partialDeepStrictEqual(await output(world, started), {
        status: 'approved',
        payload: { amount: 120 },
        approval: asked.id,
      })
      assert.equal(count(world, `prepare ${id}`), 1)
    },
  },
  {
    name: 'a denial comes with its reason, and a workflow that requires a yes ends',
    async run(world, id) {
      const asking = await world.running.start('expense', { id })
      const asked = await world.asked(asking, 'review')
      await world.answer(asked, 'deny', { reason: 'Not this month' })
      assert.partialDeepStrictEqual(await output(world, asking), {
        status: 'denied',
        code: 'denied',
        by: world.tellsWho ? ['ana@example.com'] : [],
        reason: 'Not this month',
      })
      const requiring = await world.running.start('required', { id })
      await world.answer(await world.asked(requiring, 'review'), 'deny', { reason: 'Never' })
      const end = await world.end(requiring)
      assert.ok('error' in end)
      assert.match(end.error, /denied by a person.*Never/)
    },
  },
  {
    name: 'a question that is not answered in time is over, as `expired`, and nothing goes on',
    async run(world, id) {
      const started = await world.running.start('expense', { id, timeout: '1s' })
      assert.partialDeepStrictEqual(await output(world, started), { status: 'expired', by: [] })
    },
  },
  {
    name: 'what a person changed is what the workflow goes on with',
    async run(world, id) {
      const started = await world.running.start('expense', { id, amount: 500 })
      const asked = await world.asked(started, 'review')
      await world.answer(asked, 'approve', { args: { id, amount: 20 } })
      assert.partialDeepStrictEqual(await output(world, started), {
        status: 'approved',
        args: { id, amount: 20 },
      })
    },
  },
  {
    name: 'a question that is withdrawn ends the wait',
    async run(world, id) {
      const started = await world.running.start('expense', { id })
      const asked = await world.asked(started, 'review')
      await world.gate.approvals.withdraw(asked.id, { agent: 'biller' })
      assert.partialDeepStrictEqual(await output(world, started), { status: 'withdrawn' })
    },
  },
  {
    name: 'a guarded tool runs once after its yes, and not at all after a no',
    async run(world, id) {
      const paying = await world.running.start('pay', { id, amount: 5 })
      const refused = await world.running.start('pay', { id, amount: 6 })
      await world.answer(await world.asked(paying, 'pay'), 'approve')
      await world.answer(await world.asked(refused, 'pay'), 'deny', { reason: 'Too much' })
      assert.deepEqual(await output(world, paying), { paid: 5 })
      const end = await world.end(refused)
      assert.ok('error' in end && /denied by a person.*Too much/.test(end.error))
      assert.deepEqual(
        world.lines().filter((line) => line.startsWith(`pay ${id}`)),
        [`pay ${id} 5`],
      )
    },
  },
  {
    name: 'a tool that throws ran once: the engine does not start it again by itself',
    async run(world, id) {
      const started = await world.running.start('breaks', { id })
      await world.answer(await world.asked(started, 'break'), 'approve')
      const end = await world.end(started)
      assert.ok('error' in end && /the bank is closed/.test(end.error), JSON.stringify(end))
      assert.equal(count(world, `break ${id}`), 1)
    },
  },
  {
    name: 'two gates of one workflow are two questions: one answer, given twice, opens one',
    async run(world, id) {
      const started = await world.running.start('twice', { id })
      const first = await world.asked(started, 'first')
      await world.answer(first, 'approve')
      await world.running.forge(started, first.id)
      const second = await world.asked(started, 'second')
      await world.running.forge(started, first.id)
      await world.answer(first, 'approve')
      assert.equal(await world.running.result(started), undefined)
      await world.answer(second, 'deny')
      assert.deepEqual(await output(world, started), ['approved', 'denied'])
    },
  },
  {
    name: 'every round of a loop is a question of its own, also after a no to an equal one',
    async run(world, id) {
      const started = await world.running.start('loop', { id })
      const seen: string[] = []
      for (const verdict of ['deny', 'approve', 'deny'] as const) {
        const asked = await world.asked(started, 'again', seen)
        seen.push(asked.id)
        await world.answer(asked, verdict)
      }
      assert.deepEqual(await output(world, started), ['denied', 'approved', 'denied'])
      assert.equal((await world.approvals(started)).length, 3)
    },
  },
  {
    name: 'parallel branches wait for their own answers, in whatever order they come',
    async run(world, id) {
      const started = await world.running.start('branches', { id })
      const [left, right] = [
        await world.asked(started, 'left'),
        await world.asked(started, 'right'),
      ]
      await world.answer(right, 'approve')
      await world.answer(left, 'deny')
      assert.deepEqual(await output(world, started), ['left denied', 'right approved'])
    },
  },
  {
    name: 'a forged wake-up runs nothing, and the workflow goes on waiting',
    async run(world, id) {
      const started = await world.running.start('pay', { id, amount: 7 })
      const asked = await world.asked(started, 'pay')
      for (let n = 0; n < 3; n += 1) {
        await world.running.forge(started, asked.id)
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      assert.equal(count(world, `pay ${id} 7`), 0)
      assert.equal(await world.running.result(started), undefined)
      assert.equal((await world.approvals(started)).length, 1)
      await world.answer(asked, 'approve')
      assert.deepEqual(await output(world, started), { paid: 7 })
      // Too late, and once more.
      await world.running.forge(started, asked.id)
      assert.equal(count(world, `pay ${id} 7`), 1)
    },
  },
  {
    name: 'an answer that comes before the workflow waits is found',
    async run(world, id) {
      const started = await world.running.start('slow', { id })
      await world.answer(await world.asked(started, 'slow'), 'approve')
      assert.equal(await output(world, started), 'approved')
    },
  },
  {
    name: 'a wake-up that is lost costs time only: the next look finds the answer',
    async run(world, id) {
      const started = await world.running.start('unwoken', { id })
      await world.answer(await world.asked(started, 'unwoken'), 'approve')
      assert.equal(await output(world, started), 'approved')
    },
  },
  {
    name: 'a look that found nothing does not miss the wake-up after it',
    async run(world, id) {
      const started = await world.running.start('patient', { id })
      const asked = await world.asked(started, 'patient')
      // The first look comes after a second; the next one would come after an hour.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      await world.answer(asked, 'approve')
      assert.equal(await output(world, started), 'approved')
    },
  },
  {
    name: 'a workflow that is cancelled withdraws its question',
    async run(world, id) {
      const started = await world.running.start('expense', { id })
      const asked = await world.asked(started, 'review')
      await world.running.cancel(started, world.gate)
      await eventually('it is withdrawn', async () => {
        const shown = await world.gate.approvals.get(asked.id)
        return shown?.approval.status === 'withdrawn' ? true : undefined
      })
    },
  },
  {
    name: 'two workflows of one name with equal input have a question each',
    async run(world, id) {
      const one = await world.running.start('pay', { id, amount: 8 })
      const other = await world.running.start('pay', { id, amount: 8 })
      await world.answer(await world.asked(one, 'pay'), 'approve')
      assert.deepEqual(await output(world, one), { paid: 8 })
      assert.equal(count(world, `pay ${id} 8`), 1)
      await world.answer(await world.asked(other, 'pay'), 'deny')
      assert.ok('error' in (await world.end(other)))
      assert.equal(count(world, `pay ${id} 8`), 1)
    },
  },
  {
    name: 'the id of a finished workflow, started again, asks and runs nothing again',
    async run(world, id) {
      const one = await world.running.start('pay', { id, amount: 9 }, `fixed-${id}`)
      await world.answer(await world.asked(one, 'pay'), 'approve')
      assert.deepEqual(await output(world, one), { paid: 9 })
      const again = await world.running.start('pay', { id, amount: 9 }, `fixed-${id}`)
      assert.deepEqual(await output(world, again), { paid: 9 })
      assert.equal((await world.approvals(one)).length, 1)
      assert.equal(count(world, `pay ${id} 9`), 1)
    },
  },
]

/** Changes what all workflows meet, so it comes last. */
export const lastCase: WorkflowCase = {
  name: 'a yes does not count any more where the policy forbids the call by then',
  async run(world, id) {
    const started = await world.running.start('frozen', { id })
    const asked = await world.asked(started, 'frozen')
    world.freeze()
    await world.answer(asked, 'approve')
    const end = (await output(world, started)) as { status: string; code: string }
    assert.ok(end.status === 'denied' || end.status === 'withdrawn', JSON.stringify(end))
  },
}
