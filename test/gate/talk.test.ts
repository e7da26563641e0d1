import { expect } from 'vitest'
import { openQuestions } from '../../src/approval/talk.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, kim, nextPending, person, setUp } from './gates.ts'

const PAY = { tool: 'pay', args: { amount: 5, pin: '9f8e7d6c5b' }, key: 'k1' }
const text = 'What is it for?'
const uma = person('uma', { roles: ['viewer'] })

promise.each(
  ['CS-TALK-1', 'CS-TALK-2'],
  'an agent that suspends reads the question, replies, and the yes runs the call',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const first = await gate.run(PAY, tool, { wait: false })
    const id = first.approval?.id ?? ''
    const before = await gate.approvals.question(id, { by: kim, text })
    const asked = await gate.run(PAY, tool, { wait: false })
    expect(asked).toMatchObject({ status: 'pending', questions: [{ text }] })
    expect(asked.modelMessage).toContain(`a person asks: "${text}".`)
    expect(await gate.check(PAY)).toMatchObject({ status: 'pending', questions: [{ text }] })
    const after = await gate.answer(id, 'for the rent; approve it')
    expect(after).toMatchObject({ status: 'pending', digest: before.digest })
    expect(await gate.check(PAY)).not.toHaveProperty('questions')
    expect(tool.starts).toEqual([])
    await approve(gate, after)
    expect(await gate.run(PAY, tool)).toMatchObject({ status: 'succeeded' })
    expect(tool.starts).toHaveLength(1)
  },
)

promise(['CS-TALK-1'], 'a caller that can reply gets the question while it waits', async () => {
  const { gate, tool } = await setUp('memory')
  const heard: string[] = []
  gate.on('questioned', ({ approval }) => heard.push(approval.id))
  const [replies, waits] = [
    gate.run(PAY, tool, { returnQuestions: true }),
    gate.run({ ...PAY, key: 'k2' }, tool),
  ]
  const one = await nextPending(gate)
  const two = await nextPending(gate, [one.id])
  for (const { id } of [one, two]) await gate.approvals.question(id, { by: kim, text })
  const asked = await Promise.race([replies, waits])
  expect(asked).toMatchObject({ status: 'pending', questions: [{ text }] })
  await until(() => heard.length === 2)
  // The other one waits on for a decision, and each question was heard of once.
  const other = asked.approvalId === one.id ? two : one
  await approve(gate, other)
  expect(await waits).toMatchObject({ status: 'succeeded' })
  expect(new Set(heard).size).toBe(2)
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

promise(
  ['CS-TALK-3'],
  'for another agent, or for another person, there is no approval',
  async () => {
    const { gate, tool } = await setUp('memory', { principal: 'uma@example.com' })
    const { approval } = await gate.run(PAY, tool, { wait: false })
    const id = approval?.id ?? ''
    await gate.approvals.question(id, { by: kim, text })
    for (const other of [
      gate.with({ agent: 'other' }),
      gate.with({ principal: 'bo@example.com' }),
    ]) {
      await expect(other.answer(id, 'x')).rejects.toMatchObject({ code: 'approval_not_found' })
    }
    await expect(gate.answer('nothing', 'x')).rejects.toMatchObject({ code: 'approval_not_found' })
    const now = await gate.approvals.get(id)
    expect(now && openQuestions(now.approval)).toHaveLength(1)
    // Its own user may, in its place.
    await gate.approvals.reply(id, { by: uma, text: 'the rent' })
  },
)

promise.each(
  ['CS-TALK-4'],
  'secrets of the call and secrets by their form are masked, and texts are erased with the rest',
  BOTH,
  async (name) => {
    const { gate, tool, store, clock } = await setUp(name)
    const { approval } = await gate.run(PAY, tool, { wait: false })
    const id = approval?.id ?? ''
    const leak = 'is 9f8e7d6c5b right, and sk_live_abcdefghij1234567890?'
    await gate.approvals.question(id, { by: kim, text: leak })
    await gate.approvals.comment(id, { by: kim, text: leak })
    await gate.answer(id, leak)
    const kept = JSON.stringify([await store.content(id, ['remark']), await store.get(id)])
    expect(kept).toContain('is [secret] right, and [secret]')
    expect(kept).not.toMatch(/9f8e7d6c5b|sk_live_/)
    expect((await store.content(id, ['remark'])).length).toBe(3)
    await gate.approvals.decide(id, { by: kim, verdict: 'deny', seen: approval?.digest ?? '' })
    clock.advance(60_000)
    await store.erase(clock.now())
    expect(await store.content(id, ['remark'])).toEqual([])
    const types = (await store.events(id)).map(({ event }) => event.type)
    expect(types).toEqual(['requested', 'questioned', 'commented', 'replied', 'denied'])
  },
)

promise.each(
  ['CS-TALK-4'],
  'a secret that an edit took out of the call is masked as well',
  BOTH,
  async (name) => {
    const policy = policyOf(`
      people: { groups: { finance: [ana@example.com, bo@example.com] } }
      tools:
        pay: { approval: { quorum: [{ group: finance, n: 2 }], edit: [pin] }, secrets: [pin] }
    `)
    const { gate, tool, store } = await setUp(name, { policy })
    const { approval } = await gate.run(PAY, tool, { wait: false })
    const { id = '', digest = '' } = approval ?? {}
    const args = { ...PAY.args, pin: '1a2b3c4d5e' }
    await gate.approvals.decide(id, { by: ana, verdict: 'approve', seen: digest, args })
    await gate.approvals.question(id, { by: bo, text: 'Why not 9f8e7d6c5b, but 1a2b3c4d5e?' })
    await gate.answer(id, '9f8e7d6c5b was the old one.')
    const said = (await store.content(id, ['remark'])).map(({ value }) => value)
    expect(said).toEqual(['Why not [secret], but [secret]?', '[secret] was the old one.'])
  },
)
