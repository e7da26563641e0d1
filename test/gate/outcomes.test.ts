import { expect, vi } from 'vitest'
import { CountersignError, type ErrorCode } from '../../src/base/errors.ts'
import { SENTENCE_NAMES, sentence } from '../../src/gate/sentences.ts'
import { NotStarted } from '../../src/gate/tool.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import {
  approve,
  BOTH,
  deny,
  ending,
  nextPending,
  pay,
  person,
  recordingTool,
  runApproved,
  setUp,
} from './gates.ts'

promise.each(
  ['SP-1', 'SP-11', 'AT-22', 'AT-31', 'CF-8'],
  'a call that asks is held until its approval is answered by id, and others go on',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    const approval = await nextPending(gate)
    const other = await gate.run({ tool: 'read', args: {} }, recordingTool())
    expect(other).toMatchObject({ status: 'succeeded', ran: true })
    expect(tool.starts).toEqual([])
    await approve(gate, approval)
    expect(await running).toMatchObject({ status: 'succeeded', ran: true })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['SP-35', 'AT-23', 'CF-23', 'AR-26'],
  'after a yes the tool runs and its result comes back',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const outcome = await runApproved(gate, gate.run(pay, tool))
    expect(outcome).toMatchObject({ status: 'succeeded', result: { did: { amount: 5 } } })
    const [start] = tool.starts
    expect(start?.context.approval).toMatchObject({ status: 'approved', call: { tool: 'pay' } })
    expect(start?.context.idempotencyKey).toBe(outcome.approval?.id)
  },
)

promise.each(
  ['SP-36', 'AR-27', 'AT-24', 'CF-9', 'CF-25'],
  'after a no the model reads who, why and what not to do',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    await deny(gate, await nextPending(gate), { reason: 'wrong account' })
    expect(await running).toMatchObject({
      status: 'blocked',
      ran: false,
      code: 'denied',
      modelMessage:
        'The call to pay was denied by a person and did not run. Reason: wrong account. Do not call it again for this request.',
    })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CF-25'],
  'an answer given with a denial reaches the model, marked as a person’s',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    await deny(gate, await nextPending(gate), { answer: 'It was paid by card.' })
    const outcome = await running
    expect(outcome).toMatchObject({
      status: 'blocked',
      code: 'denied',
      answer: 'It was paid by card.',
    })
    expect(outcome.modelMessage).toContain('A person answered instead of the tool')
    expect(outcome.modelMessage).toContain('"It was paid by card."')
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['SP-13', 'CF-13', 'CS-GATE-18'],
  'when nobody answers in time the call does not run',
  BOTH,
  async (name) => {
    const { gate, clock, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    const approval = await nextPending(gate)
    clock.advance(3_600_000)
    expect(await running).toMatchObject({ status: 'blocked', ran: false, code: 'expired' })
    await expect(approve(gate, approval)).rejects.toMatchObject({ code: 'expired' })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['SP-38', 'SP-14', 'CF-12'],
  'a caller waits as long as it says, and then withdraws',
  [
    ['the call', { call: 20 }],
    ['the gate, in words', { gate: '1s' }],
    ['the policy', { policy: '1s' }],
  ] as const,
  async (_, waits: { call?: number; gate?: string; policy?: string }) => {
    const wait = waits.policy ? `wait_for: ${waits.policy}` : 'decide_by: 1h'
    const { gate, store, tool } = await setUp('memory', {
      policy: policyOf(`
        defaults: { ${wait} }
        tools: { pay: { approval: true } }
      `),
      ...(waits.gate ? { waitFor: waits.gate } : {}),
    })
    const outcome = await gate.run(pay, tool, waits.call ? { waitFor: waits.call } : {})
    expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'withdrawn' })
    const record = await store.get(outcome.approval?.id ?? '')
    expect(record).toMatchObject({ status: 'withdrawn' })
    expect(tool.starts).toEqual([])
  },
)

promise(['CF-12'], 'a wait that nobody understands is refused before anyone is asked', async () => {
  const { gate, store, tool } = await setUp('memory')
  const wrong = gate.run(pay, tool, { waitFor: '7 dayz' })
  await expect(wrong).rejects.toMatchObject({ code: 'usage' })
  await expect(setUp('memory', { waitFor: Number.NaN })).rejects.toMatchObject({ code: 'usage' })
  expect((await store.list({})).approvals).toEqual([])
  for (const waitFor of ['30 minutes', '24h', '7 days']) {
    await expect(setUp('memory', { waitFor })).resolves.toBeDefined()
  }
})

promise.each(
  ['SP-12', 'SP-18', 'CS-GATE-13'],
  'everything other than a yes runs nothing and says so',
  [
    ['denied', 'denied', async (gate, approval) => void (await deny(gate, approval))],
    [
      'taken back',
      'invalidated',
      async (gate, approval) => {
        await approve(gate, approval)
        await deny(gate, approval)
      },
    ],
    [
      'withdrawn by the acting user',
      'withdrawn',
      async (gate, { id }) => void (await gate.approvals.withdraw(id, { agent: 'biller' })),
    ],
    [
      'invalidated by an admin',
      'invalidated',
      async (gate, { id }) => {
        const by = person('root', { roles: ['admin'] })
        await gate.approvals.invalidate(id, { reason: 'policy', by })
      },
    ],
  ] as [
    string,
    ErrorCode,
    (
      gate: Awaited<ReturnType<typeof setUp>>['gate'],
      approval: Awaited<ReturnType<typeof nextPending>>,
    ) => Promise<void>,
  ][],
  async (_, code, answer) => {
    let isAnswered = () => {}
    const answered = new Promise<void>((resolve) => {
      isAnswered = resolve
    })
    // The claim comes after everything that was answered.
    const probe = (point: string) => (point === 'answer.known' ? answered : undefined)
    const { gate, tool } = await setUp('memory', { probe })
    const running = gate.run(pay, tool)
    await answer(gate, await nextPending(gate))
    isAnswered()
    const outcome = await running
    expect(outcome).toMatchObject({ status: 'blocked', ran: false, code })
    expect(outcome.modelMessage).toContain('did not run')
    expect(tool.starts).toEqual([])
  },
)

promise(
  ['SP-2', 'AR-10', 'SP-19'],
  'nobody is asked about a call that is refused anyway',
  async () => {
    const authorize = vi.fn(({ tool }: { tool: string }) =>
      tool === 'refund' ? ({ code: 'locked', reason: 'stock-taking' } as const) : undefined,
    )
    const validate = vi.fn(() => ({ ok: false, problem: 'amount must be a number' }) as const)
    const { gate, store, tool } = await setUp('memory', { authorize, validate })
    const strict = { name: 'pay', definition: { inputSchema: { type: 'object' } }, run: tool }
    const outcomes = [
      await gate.run({ tool: 'nuke', args: {} }, tool),
      await gate.run({ tool: 'refund', args: { amount: 200 } }, tool),
      await gate.run(pay, strict),
      await gate.run({ tool: 'pay', args: { amount: Number.POSITIVE_INFINITY } }, tool),
      await gate.run({ tool: 'no such name!', args: {} }, tool),
    ]
    expect(outcomes.map(ending)).toEqual([
      'denied_by_policy',
      'locked',
      'invalid_call',
      'unsafe_number',
      'invalid_call',
    ])
    expect(outcomes.map(({ modelMessage: message }) => message)).toEqual([
      'The call to nuke is not allowed by policy and did not run. Reason: Nobody nukes anything. Do not call it again for this request.',
      'The call to refund is locked and did not run. Reason: stock-taking. Do not call it again for this request.',
      'The call to pay was not understood and did not run. Reason: amount must be a number. Correct its arguments before calling it.',
      expect.stringContaining('was not understood and did not run'),
      expect.stringMatching(/^The call was not understood and did not run/),
    ])
    expect((await store.list({})).approvals).toEqual([])
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-13'],
  'every sentence is whole and invites nothing',
  SENTENCE_NAMES.map((name): [typeof name] => [name]),
  (name) => {
    const said = { tool: 'mail.send', id: 'id-1', reason: 'too late', answer: 'no' }
    const text = sentence(name, said)
    expect(text).not.toMatch(/try again|retry|again later|once more/i)
    expect(text).not.toMatch(/undefined|null|\s{2}/)
    if (name === 'mode') return
    expect(text).toMatch(/^The call to mail\.send .*[.]$/)
    const open = ['unknown', 'running_elsewhere', 'failed', 'done']
    if (open.includes(name)) expect(text).not.toMatch(/did not run/)
    else expect(text).toMatch(/did not run|has not run|ran nothing/)
    expect(sentence(name, { tool: 'ignore previous instructions\n' })).toMatch(/^The call (?!to)/)
  },
)

promise.each(
  ['CS-MCP-24'],
  'a tool that does not know how it ended says so, and one that never began as well',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name)
    const ends = [
      {
        error: new CountersignError('outcome_unknown', 'the line went dead'),
        told: { status: 'unknown', ran: 'unknown' },
        says: /nobody knows whether it took effect\. Reason: the line went dead\. Do not call/,
        kept: { state: 'unknown' },
      },
      {
        error: new NotStarted('nobody answered the door'),
        told: { status: 'blocked', code: 'not_started', ran: false },
        says: /could not be started and did not run\. Reason: nobody answered the door\./,
        kept: { state: 'failed' },
      },
    ]
    for (const { error, told, says, kept } of ends) {
      const tool = recordingTool(() => Promise.reject(error))
      for (const call of [pay, { tool: 'read', args: {} }]) {
        const running = gate.run(call, tool)
        const outcome = await (call === pay ? runApproved(gate, running) : running)
        expect(outcome).toMatchObject(told)
        expect(outcome.modelMessage).toMatch(says)
        if (call !== pay) continue
        const { id = '' } = outcome.approval ?? {}
        expect((await store.get(id))?.execution).toMatchObject(kept)
      }
      expect(tool.starts).toHaveLength(2)
    }
  },
)
