import { expect, test } from 'vitest'
import {
  after,
  ana,
  anyApprover,
  asked,
  claimOf,
  commandId,
  describe,
  eve,
  kim,
  MINUTE,
  NOON,
  no,
  outcome,
  requestFor,
  root,
  SECOND,
  send,
  terms,
  uma,
  yes,
} from '../../test/approval/asking.ts'
import type { Approval } from './approval.ts'
import type { Command } from './command.ts'
import { step } from './step.ts'

const request = {
  requirements: [{ ...anyApprover, escalate: [{ after: 30 * MINUTE, to: { group: 'security' } }] }],
  terms: { ...terms, remindAfter: 2 * SECOND },
}
const pending = asked(request)
const approved = after(pending, yes(ana))
const holder = { claim: 'claim-1', lease: 60 * SECOND }
const running = after(approved, claimOf(approved, { holder }))
const finished = (result: 'succeeded' | 'failed') =>
  after(running, send('finish', { claim: 'claim-1', outcome: result }))
const lostAt = (approval: Approval) => approval.changedAt + 2 * MINUTE
const unknown = stepped(running, send('lost', {}), lostAt(running))

const STATES: Record<string, Approval> = {
  pending,
  approved,
  denied: after(pending, no(ana)),
  'expired(undecided)': stepped(pending, send('expire', {}), pending.decideBy),
  'expired(unused)': stepped(approved, send('expire', {}), approved.useBy ?? 0),
  withdrawn: after(pending, send('withdraw', { by: { agent: 'billing-bot' } })),
  'invalidated(tool)': after(pending, send('invalidate', { reason: 'tool' })),
  running,
  succeeded: finished('succeeded'),
  failed: finished('failed'),
  unknown,
}

const COMMANDS: Record<string, (approval: Approval) => Command> = {
  approve: () => yes(kim),
  deny: () => no(kim),
  extend: ({ decideBy }) => send('extend', { by: kim, until: decideBy + MINUTE }),
  remind: () => send('remind', {}),
  escalate: () => send('escalate', { by: kim }),
  expire: () => send('expire', {}),
  withdraw: () => send('withdraw', { by: { person: uma } }),
  invalidate: () => send('invalidate', { reason: 'policy', by: root }),
  claim: (approval) => claimOf(approval),
  renew: () => send('renew', { claim: 'claim-1', lease: 90 * SECOND }),
  finish: () => send('finish', { claim: 'claim-1', outcome: 'succeeded' }),
  lost: () => send('lost', { lastSeen: 0 }),
  resolve: () => send('resolve', { by: kim, outcome: 'failed' }),
}

// The whole machine: what each command does in each state. `=` accepts without changing anything.
const TABLE = `
command    | pending             | approved             | denied  | expired(undecided) | expired(unused) | withdrawn | invalidated(tool) | running          | succeeded        | failed           | unknown
approve    | approved            | !already_decided     | !denied | !expired           | !expired        | !withdrawn | !invalidated     | !already_claimed | !already_claimed | !already_claimed | !already_claimed
deny       | denied              | invalidated(revoked) | !denied | !expired           | !expired        | !withdrawn | !invalidated     | !already_claimed | !already_claimed | !already_claimed | !already_claimed
extend     | pending             | already_decided      | denied  | expired            | expired         | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
remind     | pending             | already_decided      | denied  | expired            | expired         | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
escalate   | pending             | already_decided      | denied  | expired            | expired         | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
expire     | not_due             | not_due              | denied  | =                  | =               | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
withdraw   | withdrawn           | withdrawn            | denied  | expired            | expired         | =         | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
invalidate | invalidated(policy) | invalidated(policy)  | denied  | expired            | expired         | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
claim      | not_approved        | running              | denied  | expired            | expired         | withdrawn | invalidated       | already_claimed  | already_claimed  | already_claimed  | already_claimed
renew      | not_running         | not_running          | not_running | not_running    | not_running     | not_running | not_running     | running          | not_running      | not_running      | not_running
finish     | not_running         | not_running          | not_running | not_running    | not_running     | not_running | not_running     | succeeded        | =                | !already_finished | succeeded
lost       | not_running         | not_running          | not_running | not_running    | not_running     | not_running | not_running     | not_due          | not_running      | not_running      | =
resolve    | not_due             | not_due              | not_due | not_due            | not_due         | not_due   | not_due           | not_due          | already_finished | already_finished | failed
`

const [head = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
const cells = rows.flatMap(([command = '', ...results]) =>
  results.map((result, index) => [command, head[index + 1] ?? '', result] as const),
)

test.each(cells)('%s when %s: %s', (name, state, expected) => {
  const approval = STATES[state]
  const make = COMMANDS[name]
  if (!approval || !make) throw new Error(`no ${name} or ${state}`)
  expect(describe(approval)).toBe(state)
  const transition = step(approval, make(approval), approval.changedAt + 3 * SECOND)
  if (expected === '=') {
    expect(transition).toMatchObject({ ok: true, events: [] })
    expect(transition.approval).toBe(approval)
    return
  }
  expect(outcome(transition)).toBe(expected.replace('!', ''))
  if (transition.ok) {
    expect(transition.approval.revision).toBe(approval.revision + 1)
    expect(transition.events.length).toBeGreaterThan(0)
  } else {
    expect(transition.approval).toBeUndefined()
    // Refused answers that came too late are written down as late; other refusals leave no trace.
    expect(transition.events.map(({ type }) => type)).toEqual(
      expected.startsWith('!') ? ['late'] : [],
    )
  }
})

test('the table names every state and every command', () => {
  expect(head.slice(1)).toEqual(Object.keys(STATES))
  expect(rows.map(([command]) => command)).toEqual(Object.keys(COMMANDS))
})

test.each(Object.entries(COMMANDS))('without an approval there is nothing to %s', (_, make) => {
  expect(step(undefined, make(approved), NOON)).toMatchObject({ code: 'approval_not_found' })
})

test('a request makes a pending approval at revision 1', () => {
  expect(pending).toMatchObject({ id: 'apr-1', revision: 1, status: 'pending', askedAt: NOON })
  expect(pending.decideBy).toBe(NOON + terms.decideBy)
  expect(pending.execution).toBeUndefined()
})

test('an approval is plain JSON: writing and reading it changes nothing', () => {
  for (const approval of Object.values(STATES)) {
    expect(JSON.parse(JSON.stringify(approval))).toStrictEqual(approval)
  }
})

test('what a step returns is frozen, and shares nothing with the command', () => {
  const command = structuredClone(requestFor())
  const transition = step(undefined, command, NOON)
  Object.assign(command.requirements[0] ?? {}, { level: 'confirm' })
  expect(transition.ok && transition.approval.requirements[0]?.level).toBe('review')
  expect(Object.isFrozen(transition.ok && transition.approval.requirements[0])).toBe(true)
})

test('events carry ids, codes and digests, and nothing a person or an agent wrote', () => {
  const secret = 'hunter2'
  const content = { arguments: `{"note":"${secret}"}`, message: secret, missing: [secret] }
  const first = step(undefined, requestFor({ content }), NOON)
  if (!first.ok) throw new Error(first.message)
  const second = step(first.approval, no(ana, { reason: secret, answer: secret }), NOON + SECOND)
  if (!second.ok) throw new Error(second.message)
  for (const { approval, events } of [first, second]) {
    expect(JSON.stringify([approval, events])).not.toContain(secret)
  }
  expect(first.content.map(({ kind }) => kind)).toEqual(['arguments', 'question'])
  expect(second.content.map(({ key, value }) => [key, value])).toEqual([
    ['apr-1/2/reason', secret],
    ['apr-1/2/answer', secret],
  ])
  expect(second.events[0]?.content).toEqual(['apr-1/2/reason', 'apr-1/2/answer'])
  expect(JSON.stringify(second.events)).not.toContain('@example.com')
})

test('a late answer ends a question the sweeper missed, and is recorded as late', () => {
  const late = step(pending, yes(kim), pending.decideBy)
  expect(late).toMatchObject({ ok: false, code: 'expired' })
  expect(late.approval).toMatchObject({ status: 'expired', reason: 'undecided', revision: 2 })
  expect(late.events.map(({ type, index, revision }) => [type, index, revision])).toEqual([
    ['expired', 0, 2],
    ['late', 1, 2],
  ])
  expect(late.events[1]).toMatchObject({ code: 'expired', facts: { verdict: 'approve' } })
})

test('a stranger who comes late leaves no trace', () => {
  const denied = after(pending, no(ana))
  expect(step(denied, yes(eve), NOON + MINUTE)).toMatchObject({
    code: 'not_an_approver',
    events: [],
  })
})

test('a clock a minute behind the last change decides nothing', () => {
  expect(step(approved, no(kim), approved.changedAt - 60_001)).toMatchObject({
    code: 'clock_behind',
  })
  expect(step(approved, claimOf(approved), 0)).toMatchObject({ code: 'clock_behind' })
  expect(outcome(step(approved, no(kim), approved.changedAt - 60_000))).toBe('invalidated(revoked)')
})

test('every event names its command, and the index makes it unique', () => {
  const command = { ...yes(kim), commandId: commandId() }
  const { events } = step(pending, command, NOON + SECOND)
  expect(events.map(({ type, command: by, index }) => [type, by, index])).toEqual([
    ['decided', command.commandId, 0],
    ['approved', command.commandId, 1],
  ])
})

function stepped(approval: Approval, command: Command, now: number): Approval {
  const transition = step(approval, command, now)
  if (!transition.ok) throw new Error(`${transition.code}: ${transition.message}`)
  return transition.approval
}
