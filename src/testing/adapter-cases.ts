import assert from 'node:assert/strict'
import type { AdapterCase } from './adapter-harness.ts'
import { call, NOT_RUN, play, say, textOf, through, turn, uma, waiting } from './adapter-play.ts'
import { handOverCases } from './hand-over-cases.ts'
import { hostileCases } from './hostile-adapter-cases.ts'
import { hostileToolCases, isTried } from './hostile-tool-cases.ts'

/** What every adapter must do, against the real SDK with a scripted model. */
export const adapterCases: readonly AdapterCase[] = [
  {
    name: 'what is approved runs once, with the approved arguments, and the model gets the result',
    short: 'approved runs once',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5), call('c2', 'read', 1)))
      const end = await through(harness, world, played, 1, ([one]) => say(world, one, 'approve'))
      assert.equal(end.status, 'done')
      const paid = played.ran.filter(({ tool }) => tool === 'pay')
      assert.deepEqual(paid, [{ tool: 'pay', args: { amount: 5 } }])
      assert.match(textOf(end, 'c1'), /"did":"pay"/)
    },
  },
  {
    name: 'edited arguments run in place of the others, and the model is told what changed',
    short: 'edited arguments run',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 500)))
      const end = await through(harness, world, played, 1, ([one]) =>
        say(world, one, 'approve', { args: { amount: 20 } }),
      )
      assert.deepEqual(played.ran, [{ tool: 'pay', args: { amount: 20 } }])
      assert.match(textOf(end, 'c1'), /A person changed the call to pay.*amount is now 20/)
    },
  },
  {
    name: 'what is denied does not run, and the model reads the reason in a sentence',
    short: 'denied, with the reason',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5)))
      const end = await through(harness, world, played, 1, ([one]) =>
        say(world, one, 'deny', { reason: 'Not this month' }),
      )
      assert.deepEqual(played.ran, [])
      assert.match(
        textOf(end, 'c1'),
        /denied by a person and did not run\. Reason: Not this month\./,
      )
      assert.doesNotMatch(textOf(end, 'c1'), /try again/i)
    },
  },
  {
    name: 'a question without an answer in time runs nothing, and the model is told',
    short: 'expired',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5)))
      const end = await through(harness, world, played, 1, () => world.pass(2 * 3_600_000))
      assert.deepEqual(played.ran, [])
      assert.match(textOf(end, 'c1'), /was not answered by anyone in time and did not run/)
    },
  },
  {
    name: 'a call whose caller goes away while it waits never runs, approved or not',
    short: 'aborted',
    async run(harness, world) {
      const leaving = new AbortController()
      const played = play(harness, world, turn(call('c1', 'pay', 5)), { mode: 'block' })
      const ending = played.agent.start({ signal: leaving.signal }).catch(() => undefined)
      const [one] = await waiting(world, 1)
      leaving.abort()
      await ending
      await waiting(world, 0)
      await assert.rejects(() => say(world, one, 'approve'))
      assert.deepEqual(played.ran, [])
    },
  },
  {
    name: 'a call that policy denies neither runs nor asks, and the model reads why',
    short: 'policy denies',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'nuke', 5)))
      const end = await played.agent.start()
      assert.equal(end.status, 'done')
      assert.deepEqual(played.ran, [])
      assert.match(textOf(end, 'c1'), /not allowed by policy and did not run.*Nuking is forbidden/)
      await waiting(world, 0)
    },
  },
  {
    name: 'when approvals cannot be reached nothing runs, and the model is told',
    short: 'store down',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5)))
      world.breakDown()
      const end = await played.agent.start()
      assert.deepEqual(played.ran, [])
      assert.match(textOf(end, 'c1'), NOT_RUN)
    },
  },
  {
    name: 'a process that dies while a call waits costs nothing: another one goes on, once',
    short: 'resumed elsewhere',
    async run(harness, world) {
      const turns = turn(call('c1', 'pay', 5))
      const first = play(harness, world, turns)
      if (!harness.supports.elsewhere) {
        // There is no state to carry over, and it says so; the question is found by its key.
        assert.throws(() => first.agent.state(), /no state/)
        void first.agent.start()
        const [one] = await waiting(world, 1)
        const second = play(harness, world, turns, { gate: world.again(), ran: first.ran })
        const ending = second.agent.start()
        await say(world, one, 'approve')
        assert.match(textOf(await ending, 'c1'), /"did":"pay"/)
        assert.equal(first.ran.length, 1)
        return
      }
      assert.equal((await first.agent.start()).status, 'paused')
      const [one] = await waiting(world, 1)
      const state = first.agent.state()
      await say(world, one, 'approve')
      const second = play(harness, world, turns, { gate: world.again(), state })
      const end = await second.agent.resume()
      assert.equal(end.status, 'done')
      assert.deepEqual(second.ran, [{ tool: 'pay', args: { amount: 5 } }])
      assert.match(textOf(end, 'c1'), /"did":"pay"/)
    },
  },
  {
    name: 'calls of one turn are decided one by one, and the model reads what became of each',
    short: 'parallel, mixed',
    async run(harness, world) {
      const calls = [call('c1', 'pay', 1), call('c2', 'pay', 2), call('c3', 'read', 3)]
      const played = play(harness, world, turn(...calls))
      const end = await through(harness, world, played, 2, async (questions) => {
        for (const one of questions) {
          const shown = await world.approvals.get(one.id)
          await say(world, one, shown?.args?.amount === 1 ? 'deny' : 'approve')
        }
      })
      assert.deepEqual(played.ran.map(({ args }) => args.amount).sort(), [2, 3])
      assert.match(textOf(end, 'c1'), /denied by a person/)
      assert.match(textOf(end, 'c2'), /"did":"pay"/)
      assert.match(textOf(end, 'c3'), /"did":"read"/)
    },
  },
  {
    name: 'the model reads the outcomes of one turn in the order of its calls, whatever the order of answers',
    short: 'in the order of the calls',
    needs: 'ordered',
    async run(harness, world) {
      const calls = [
        call('c1', 'pay', 1),
        call('c2', 'read', 2),
        call('c3', 'pay', 3),
        call('c4', 'nuke', 4),
        call('c5', 'pay', 5),
      ]
      const played = play(harness, world, turn(...calls))
      const end = await through(harness, world, played, 3, async (questions) => {
        const byAmount = new Map<unknown, (typeof questions)[number]>()
        for (const one of questions) {
          byAmount.set((await world.approvals.get(one.id))?.args?.amount, one)
        }
        await say(world, byAmount.get(5), 'approve')
        await say(world, byAmount.get(1), 'deny')
        await say(world, byAmount.get(3), 'approve')
      })
      const told = end.told.map(({ id }) => id)
      const asked = calls.map(({ id }) => id)
      // Without the promise of an order, each is told once all the same.
      assert.deepEqual(harness.supports.ordered ? told : told.sort(), asked)
    },
  },
  {
    name: 'an answered call of a turn runs while another one still waits',
    short: 'goes on one by one',
    needs: 'partial',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 1), call('c2', 'pay', 2)))
      const { agent, ran } = played
      if (!harness.supports.suspend) {
        const ending = agent.start()
        const [one, two] = await waiting(world, 2)
        await say(world, one, 'approve')
        for (let look = 0; ran.length === 0; look += 1) {
          assert.ok(look < 2_000, 'what was answered runs')
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        await waiting(world, 1)
        await say(world, two, 'deny')
        assert.equal((await ending).status, 'done')
        assert.equal(ran.length, 1)
        return
      }
      assert.equal((await agent.start()).status, 'paused')
      const [one, two] = await waiting(world, 2)
      await say(world, one, 'approve')
      assert.equal((await agent.resume()).status, 'paused')
      // Where the SDK goes on with all of them or with none, a yes waits for the others.
      assert.equal(ran.length, harness.supports.partial ? 1 : 0)
      await say(world, two, 'deny')
      assert.equal((await agent.resume()).status, 'done')
      assert.equal(ran.length, 1)
    },
  },
  {
    name: 'two identical calls are two calls: both ask, and each yes runs one',
    short: 'identical calls both ask',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5), call('c2', 'pay', 5)))
      const end = await through(harness, world, played, 2, async ([one, two]) => {
        await say(world, one, 'approve')
        await say(world, two, 'deny')
      })
      assert.equal(played.ran.length, 1)
      const texts = [textOf(end, 'c1'), textOf(end, 'c2')]
      assert.equal(texts.filter((text) => /denied by a person/.test(text)).length, 1)
    },
  },
  {
    name: 'what a sub-agent calls is asked about like any other call',
    short: 'nested agent',
    async run(harness, world) {
      const mode = harness.supports.nestedPause ? 'suspend' : 'block'
      const turns = turn(call('c1', 'pay', 5))
      const played = play(harness, world, turns, { nestedAs: 'helper', mode })
      const end = await through(
        harness,
        world,
        played,
        1,
        async ([one]) => {
          assert.deepEqual(played.ran, [])
          await say(world, one, 'approve')
        },
        mode,
      )
      assert.equal(end.status, 'done')
      assert.deepEqual(played.ran, [{ tool: 'pay', args: { amount: 5 } }])
    },
  },
  {
    name: 'a tool named like a member of every object is a tool like any other',
    short: 'tool named `constructor`',
    tries: 'anyName',
    async run(harness, world) {
      if (!isTried(harness, 'anyName')) return
      const played = play(harness, world, turn(call('c1', 'constructor', 5)))
      const end = await through(harness, world, played, 1, async ([one]) => {
        assert.deepEqual(played.ran, [])
        await say(world, one, 'approve')
      })
      assert.deepEqual(played.ran, [{ tool: 'constructor', args: { amount: 5 } }])
      assert.match(textOf(end, 'c1'), /"did":"constructor"/)
    },
  },
  {
    name: 'an answer in the chat counts for a confirmation, from the authenticated acting user',
    short: 'answered in the chat',
    needs: 'inBand',
    async run(harness, world) {
      const asked = [call('c1', 'pay', 5)]
      const played = play(harness, world, turn(...asked), { approvals: world.answers })
      if (!harness.supports.inBand) {
        // Nothing to answer with: the question stays where people decide.
        assert.equal(played.agent.force, undefined)
        return
      }
      assert.equal((await played.agent.start()).status, 'paused')
      const end = await played.agent.force?.([
        { call: call('c1', 'pay', 5), approved: true, by: uma.subject },
      ])
      assert.ok(end)
      assert.match(textOf(end, 'c1'), /"did":"pay"/)
      assert.deepEqual(played.ran, [{ tool: 'pay', args: { amount: 5 } }])
    },
  },
  ...hostileCases,
  ...hostileToolCases,
  ...handOverCases,
]
