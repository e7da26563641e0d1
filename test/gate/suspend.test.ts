import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, deny, kim, nextPending, POLICY, recordingTool, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }

test.each(BOTH)('check never claims and never waits: %s', async (name) => {
  const { gate, tool } = await setUp(name)
  expect(await gate.check({ tool: 'read', args: { a: 1 } })).toEqual({
    status: 'allowed',
    args: { a: 1 },
  })
  expect(await gate.check({ tool: 'nuke', args: {} })).toMatchObject({
    status: 'blocked',
    code: 'denied_by_policy',
    modelMessage: expect.stringContaining('Nobody nukes anything'),
  })
  const first = await gate.check(pay, { key: 'a' })
  expect(first).toMatchObject({ status: 'pending', approval: { status: 'pending' } })
  if (first.status !== 'pending') throw new Error('not asked')
  expect(await gate.check(pay, { key: 'a' })).toMatchObject({
    status: 'pending',
    approval: { id: first.approval.id },
  })
  expect(await gate.resume(first.approval.id, { pay: tool })).toMatchObject({
    status: 'pending',
    ran: false,
  })
  await approve(gate, first.approval)
  const approved = await gate.check(pay, { key: 'a' })
  expect(approved).toMatchObject({ status: 'approved', approval: { id: first.approval.id } })
  if (approved.status === 'approved') expect(approved.approval.execution).toBeUndefined()
  expect(tool.starts).toEqual([])
  expect(await gate.resume(first.approval.id, { pay: tool })).toMatchObject({ status: 'succeeded' })
  expect(tool.starts).toHaveLength(1)
})

promise.each(
  ['AR-22', 'CF-21', 'CF-42'],
  'an answer that names no waiting approval and its call decides nothing',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error('not asked')
    const { id, digest } = checked.approval
    const yes = { by: kim, verdict: 'approve' as const }
    const wrong: readonly (readonly [string, string, string])[] = [
      ['approval_not_found', 'no-such-id', digest],
      ['call_changed', id, 'f'.repeat(64)],
      ['invalid_command', id, ''],
    ]
    for (const [code, named, seen] of wrong) {
      await expect(gate.approvals.decide(named, { ...yes, seen })).rejects.toMatchObject({ code })
    }
    expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'pending' })
    await expect(gate.resume('no-such-id', { pay: tool })).rejects.toMatchObject({
      code: 'approval_not_found',
    })
    expect(tool.starts).toEqual([])
  },
)

promise(
  ['AR-29', 'AT-33', 'CF-40'],
  'a question outlives its process, and another one runs what was approved',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-gate-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const open = async () => {
      const store = await openSqlite(path.join(folder, 'gate.db'))
      const gate = createGate({ policy: policyOf(POLICY), store, agent: 'biller', run: 'chat-1' })
      return { store, gate }
    }
    const first = await open()
    const checked = await first.gate.check(pay, { key: 'a' })
    if (checked.status !== 'pending') throw new Error('not asked')
    await first.store.close()

    const inbox = await open()
    await approve(inbox.gate, await nextPending(inbox.gate))
    await inbox.store.close()

    const tool = recordingTool()
    const second = await open()
    expect(await second.gate.check(pay, { key: 'a' })).toMatchObject({ status: 'approved' })
    expect(await second.gate.resume(checked.approval.id, { pay: tool })).toMatchObject({
      status: 'succeeded',
      result: { did: pay.args },
    })
    await second.store.close()

    const third = await open()
    expect(await third.gate.run(pay, tool, { key: 'a' })).toMatchObject({ replayed: true })
    expect(tool.starts).toHaveLength(1)
    const shown = await third.gate.approvals.get(checked.approval.id)
    expect(shown?.approval.decisions).toMatchObject([
      { verdict: 'approve', by: { subject: 'kim' } },
    ])
    await third.store.close()
  },
)

promise.each(
  ['CF-39', 'AR-19'],
  'people see the question and the arguments, and their decision is kept with who, when and why',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name)
    const call = {
      tool: 'pay',
      args: { amount: 5, pin: 'opal-pin' },
      context: { says: 'The user wants it', links: ['https://example.com/invoice'] },
    }
    const checked = await gate.check(call)
    if (checked.status !== 'pending') throw new Error('not asked')
    const shown = await gate.approvals.get(checked.approval.id)
    expect(shown).toMatchObject({
      args: { amount: 5, pin: '[secret]' },
      question: {
        message: `Run 'pay' with arguments {"amount":5,"pin":"[secret]"}?`,
        missing: [],
        context: { says: 'The user wants it' },
      },
    })
    await deny(gate, checked.approval, { reason: 'no invoice' })
    const { decisions } = (await gate.approvals.get(checked.approval.id))?.approval ?? {}
    expect(decisions).toMatchObject([
      { verdict: 'deny', by: { subject: 'kim' }, digest: checked.approval.digest, reasoned: true },
    ])
    expect(decisions?.[0]?.at).toBe(await store.now())
    const events = await store.events(checked.approval.id)
    expect(events.map(({ event }) => event.type)).toEqual(['requested', 'denied'])
    // What people and agents wrote is kept beside the events, never in them.
    expect(JSON.stringify(events)).not.toMatch(/no invoice|opal-pin|The user wants it/)
  },
)

test('an approval of a tool is resumed with the tool that was shown', async () => {
  const { gate } = await setUp('memory')
  const old = recordingTool(() => 'old')
  const shown = recordingTool(() => 'shown')
  const definition = { description: 'Pays', inputSchema: { type: 'object' } }
  const checked = await gate.check(pay, { definition })
  if (checked.status !== 'pending') throw new Error('not asked')
  await approve(gate, checked.approval)
  const outcome = await gate.resume(checked.approval.id, [
    { name: 'pay', run: old },
    { name: 'pay', definition, run: shown },
    { name: 'read', definition, run: old },
  ])
  expect(outcome).toMatchObject({ status: 'succeeded', result: 'shown' })
  expect(old.starts).toEqual([])
})

test('a definition that was registered is the one that is checked', async () => {
  const { gate, tool } = await setUp('memory')
  gate[internals].tool('pay', { description: 'Pays' })
  const checked = await gate.check(pay)
  if (checked.status !== 'pending') throw new Error('not asked')
  await approve(gate, checked.approval)
  gate[internals].tool('pay', { description: 'Pays twice' })
  expect(await gate.resume(checked.approval.id, new Map([['pay', tool]]))).toMatchObject({
    status: 'blocked',
    code: 'invalidated',
    approval: { reason: 'tool' },
  })
  expect(gate.admin.tools).toMatchObject([
    { tool: 'pay', door: 'in-process', definition: { description: 'Pays twice' } },
  ])
  expect(() => gate[internals].tool('no such name!')).toThrow('is not a name')
})
