import assert from 'node:assert/strict'
import type { Approval } from '../approval/approval.ts'
import type { AdapterCase, AdapterHarness, CaseWorld, HandOver } from './adapter-harness.ts'
import { say, through, waiting } from './adapter-play.ts'
import { isTried } from './hostile-tool-cases.ts'

/** Handing work to another agent is a call like any other: shown, edited, and done once. */
export const handOverCases: readonly AdapterCase[] = [
  {
    name: 'an edited hand-over gives the other agent what the person wrote',
    short: 'edited hand-over',
    tries: 'handsOver',
    async run(harness, world) {
      const handed = handOver(harness, world, ['n1'])
      if (!handed) return
      const { edit, taken, waits } = handed
      const answered = async ([one]: readonly Approval[]) => {
        assert.deepEqual(taken, [])
        assert.equal(one?.call.tool, 'deputy')
        await say(world, one, 'approve', { args: edit.args })
      }
      await through(harness, world, { ...handed, ran: [] }, 1, answered, waits)
      assert.deepEqual(taken, edit.takes === undefined ? [] : [edit.takes])
    },
  },
  {
    name: 'a denied hand-over gives the other agent nothing',
    short: 'denied hand-over',
    tries: 'handsOver',
    async run(harness, world) {
      const handed = handOver(harness, world, ['n1'])
      if (!handed) return
      const answered = ([one]: readonly Approval[]) => say(world, one, 'deny')
      await through(harness, world, { ...handed, ran: [] }, 1, answered, handed.waits)
      assert.deepEqual(handed.taken, [])
    },
  },
  {
    name: 'one yes hands over once, also when the model repeats the id of the call',
    short: 'repeated hand-over',
    tries: 'handsOver',
    async run(harness, world) {
      const handed = handOver(harness, world, ['n1', 'n1'])
      if (!handed) return
      const { agent, waits } = handed
      let isOver = false
      const ending = agent.start().finally(() => {
        isOver = waits === 'block'
      })
      const [one] = await waiting(world, 1)
      await say(world, one, 'approve')
      // A second question is right where the SDK gives hand-overs no ids. It gets no yes.
      const denying = async () => {
        while (!isOver) {
          const { approvals } = await world.approvals.list({ status: ['pending'] })
          for (const other of approvals) await say(world, other, 'deny')
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
      const denied = denying()
      await ending
      if (waits === 'suspend') while ((await agent.resume()).status === 'paused');
      isOver = true
      await denied
      assert.equal(handed.taken.length, 1)
    },
  },
]

function handOver(
  harness: AdapterHarness,
  { gate }: CaseWorld,
  ids: readonly string[],
): HandOver | undefined {
  if (!isTried(harness, 'handsOver')) return undefined
  assert.ok(harness.handOver, `${harness.name} says that it hands over, and has no handOver`)
  const mode = harness.supports.suspend ? 'suspend' : 'block'
  return harness.handOver({ gate, run: 'chat-1', mode, ids })
}
