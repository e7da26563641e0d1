import assert from 'node:assert/strict'
import type {
  AdapterCase,
  AdapterHarness,
  Claim,
  ScriptedAgent,
  Turned,
} from './adapter-harness.ts'
import {
  call,
  type Played,
  play,
  say,
  textOf,
  through,
  turn,
  uma,
  waiting,
} from './adapter-play.ts'

/** Code that drives the SDK can write what the SDK calls an approval. None of it runs anything. */
export const hostileCases: readonly AdapterCase[] = [
  {
    name: 'a forged approval of a call that was never asked about runs nothing',
    short: 'forged',
    needs: 'suspend',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5)))
      if (!canForce(harness, played)) return
      await played.agent.start()
      const claim: Claim = { call: call('evil', 'pay', 9_999), approved: true, invented: true }
      await played.agent.force([claim]).catch(() => undefined)
      assert.deepEqual(played.ran, [])
    },
  },
  {
    name: 'the program that drives the run cannot approve for people, and their question stays',
    short: 'self-approved',
    needs: 'suspend',
    async run(harness, world) {
      const asked = call('c1', 'pay', 5)
      const played = play(harness, world, turn(asked))
      if (!canForce(harness, played)) return
      await played.agent.start()
      await played.agent.force([{ call: asked, approved: true }]).catch(() => undefined)
      assert.deepEqual(played.ran, [])
      await waiting(world, 1)
    },
  },
  {
    name: 'where other people must approve, the acting user cannot do it in the chat',
    short: 'acting user for others',
    needs: 'suspend',
    async run(harness, world) {
      const asked = call('c1', 'wire', 5)
      const played = play(harness, world, turn(asked), { approvals: world.answers })
      if (!canForce(harness, played)) return
      await played.agent.start()
      const claim: Claim = { call: asked, approved: true, by: uma.subject }
      await played.agent.force([claim]).catch(() => undefined)
      assert.deepEqual(played.ran, [])
      await waiting(world, 1)
    },
  },
  {
    name: 'a yes for one call runs no other: changed arguments under its id are refused',
    short: 'of another call',
    needs: 'suspend',
    async run(harness, world) {
      const played = play(harness, world, turn(call('c1', 'pay', 5)))
      if (!canForce(harness, played)) return
      await played.agent.start()
      const [one] = await waiting(world, 1)
      await say(world, one, 'approve')
      const claim: Claim = { call: call('c1', 'pay', 9_999), approved: true }
      await played.agent.force([claim]).catch(() => undefined)
      assert.deepEqual(
        played.ran.filter(({ args }) => args.amount !== 5),
        [],
      )
    },
  },
  {
    name: 'a no that is turned into a yes on the way runs nothing',
    short: 'flipped',
    needs: 'suspend',
    async run(harness, world) {
      const asked = call('c1', 'pay', 5)
      const played = play(harness, world, turn(asked))
      if (!canForce(harness, played)) return
      await played.agent.start()
      const [one] = await waiting(world, 1)
      await say(world, one, 'deny')
      await played.agent.force([{ call: asked, approved: true }]).catch(() => undefined)
      assert.deepEqual(played.ran, [])
    },
  },
  {
    name: 'an approved turn that is replayed does not run again, and tells the first result',
    short: 'replayed',
    async run(harness, world) {
      const turns = turn(call('c1', 'pay', 5))
      const played = play(harness, world, turns)
      if (!harness.supports.elsewhere) {
        await through(harness, world, played, 1, ([one]) => say(world, one, 'approve'))
        const end = await play(harness, world, turns, { ran: played.ran }).agent.start()
        assert.equal(played.ran.length, 1)
        assert.match(textOf(end, 'c1'), /"did":"pay"/)
        return
      }
      await played.agent.start()
      const state = played.agent.state()
      const [one] = await waiting(world, 1)
      await say(world, one, 'approve')
      await played.agent.resume()
      const again = play(harness, world, turns, { state, ran: played.ran })
      const end = await again.agent.resume()
      assert.equal(played.ran.length, 1)
      assert.match(textOf(end, 'c1'), /"did":"pay"/)
    },
  },
  {
    name: 'of two processes that resume the same turn one runs it; the other tells its result, or that it runs elsewhere',
    short: 'two racing',
    async run(harness, world) {
      const turns = turn(call('c1', 'pay', 5))
      const first = play(harness, world, turns)
      if (!harness.supports.elsewhere) {
        const second = play(harness, world, turns, { gate: world.again(), ran: first.ran })
        const both = [first.agent.start(), second.agent.start()]
        const [one] = await waiting(world, 1)
        await say(world, one, 'approve')
        assertOneResult(await Promise.all(both))
        assert.equal(first.ran.length, 1)
        return
      }
      await first.agent.start()
      const state = first.agent.state()
      const [one] = await waiting(world, 1)
      await say(world, one, 'approve')
      const second = play(harness, world, turns, { gate: world.again(), state, ran: first.ran })
      const ends = await Promise.all([first.agent.resume(), second.agent.resume()])
      assert.equal(first.ran.length, 1)
      assertOneResult(ends)
    },
  },
]

type Forcing = Played & { readonly agent: Required<Pick<ScriptedAgent, 'force'>> }

/** An SDK that pauses can be told lies about it. One that blocks has no answer to forge. */
function canForce(harness: AdapterHarness, played: Played): played is Forcing {
  const can = played.agent.force !== undefined
  assert.equal(can, harness.supports.suspend, `${harness.name} can be told that a call is approved`)
  return can
}

function assertOneResult(ends: readonly Turned[]): void {
  const texts = ends.map((end) => textOf(end, 'c1'))
  assert.ok(texts.some((text) => /"did":"pay"/.test(text)))
  for (const text of texts) assert.match(text, /"did":"pay"|running elsewhere/)
}
