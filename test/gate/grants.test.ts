import { expect } from 'vitest'
import type { Person } from '../../src/approval/people/person.ts'
import type { Call } from '../../src/base/call.ts'
import type { Json } from '../../src/base/json/json.ts'
import type { GrantWish } from '../../src/gate/admin/grants.ts'
import { recordsOf } from '../../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../../src/gate/audit/audit-verify.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { People } from '../../src/gate/people.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, deny, kim, nextPending, POLICY, person, setUp } from './gates.ts'

const HOUR = 3_600_000

function pay(key: string, args: Call['args'] = { amount: 40, to: 'rent' }): Call {
  return { tool: 'pay', key, args }
}

/** Asks once, and says yes to this call and to others like it. */
async function grantedBy(gate: Gate, call: Call, wish: GrantWish = {}, by = kim) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  const running = gate.run(call, async () => 'first')
  const { id, digest } = await nextPending(
    gate,
    approvals.map((one) => one.id),
  )
  await gate.approvals.decide(id, { by, verdict: 'approve', seen: digest, grant: wish })
  await running
  const [grant] = (await gate.admin.grants.list()).grants
  if (!grant) throw new Error('no grant was made')
  return grant
}

promise.each(
  ['CS-GRANT-7', 'CS-GRANT-6'],
  'the same call runs without asking, and one that differs is asked about',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const grant = await grantedBy(gate, pay('k1'))
    expect(grant).toMatchObject({ uses: 0, scope: { run: 'chat-1' }, limits: { uses: 10 } })
    const outcome = await gate.run(pay('k2'), tool)
    expect(outcome).toMatchObject({ status: 'succeeded', approval: { grant: grant.id } })
    expect(tool.starts).toHaveLength(1)
    const others: Call[] = [
      pay('o1', { amount: 41, to: 'rent' }),
      pay('o2', { amount: 40, to: 'rent', memo: 'and more' }),
      pay('o3', { amount: 40 }),
    ]
    for (const call of others) expect((await gate.check(call)).status).toBe('pending')
    const elsewhere = gate.with({ run: 'chat-2' })
    expect((await elsewhere.check(pay('o4'))).status).toBe('pending')
    const stranger = gate.with({ agent: 'other' })
    expect((await stranger.check(pay('o5'))).status).toBe('pending')
    expect((await gate.with({ door: 'mcp' }).check(pay('o6'))).status).toBe('pending')
    expect((await gate.with({ principal: 'uma' }).check(pay('o7'))).status).toBe('pending')
    const drifted = { definition: { description: 'does something else now' } }
    expect((await gate.check(pay('o8'), drifted)).status).toBe('pending')
    expect((await gate.admin.grants.get(grant.id))?.uses).toBe(1)
    expect((await gate.admin.grants.uses(grant.id)).uses).toMatchObject([{ n: 1 }])
  },
)

promise.each(
  ['CS-GRANT-4'],
  'a condition covers what it says yes to, and nothing it cannot test',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const wish = {
      condition: { args_match: { amount: { lte: 50 }, to: { in: ['rent', 'power'] } } },
      uses: 100,
      anyRun: true,
      budget: { path: 'amount', most: 100 },
    }
    await grantedBy(gate, pay('k1'), wish)
    const other = gate.with({ run: 'chat-2' })
    expect((await other.run(pay('k2', { amount: 50, to: 'power' }), tool)).status).toBe('succeeded')
    const outside: Call['args'][] = [
      { amount: 51, to: 'rent' },
      { amount: '40', to: 'rent' },
      { amount: 40, to: 'other' },
      { amount: 40 },
      { to: 'rent' },
      { amount: -1, to: 'rent' },
      { amount: null, to: 'rent' },
      { amount: { valueOf: 1 }, to: 'rent' },
    ]
    for (const [index, args] of outside.entries()) {
      expect((await gate.check(pay(`o${index}`, args))).status, JSON.stringify(args)).toBe(
        'pending',
      )
    }
    // 50 of 100 are spent: the budget has room for one more of fifty, and then for none.
    expect((await gate.run(pay('k3', { amount: 50, to: 'rent' }), tool)).status).toBe('succeeded')
    expect((await gate.check(pay('k4', { amount: 0.01, to: 'rent' }))).status).toBe('pending')
    expect(tool.starts).toHaveLength(2)
  },
)

promise.each(
  ['CS-GRANT-2', 'CS-GRANT-6'],
  'of many calls at once exactly as many run as there are uses; the others are asked about',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const grant = await grantedBy(gate, pay('k1'), { uses: 3 })
    const patience = { waitFor: 50 }
    const calls = Array.from({ length: 6 }, (_, n) => gate.run(pay(`r${n}`), tool, patience))
    const outcomes = await Promise.all(calls)
    expect(outcomes.filter(({ status }) => status === 'succeeded')).toHaveLength(3)
    expect(
      outcomes.filter((one) => one.status === 'blocked' && one.code === 'withdrawn'),
    ).toHaveLength(3)
    expect(tool.starts).toHaveLength(3)
    expect(await gate.admin.grants.get(grant.id)).toMatchObject({ uses: 3, state: 'used_up' })
  },
)

promise.each(
  ['CS-GRANT-3', 'CS-GRANT-8'],
  'after its end, and after it was revoked, people are asked again; the record verifies',
  BOTH,
  async (name) => {
    const { gate, store, clock, tool } = await setUp(name)
    const short = await grantedBy(gate, pay('k1'), { lasts: HOUR })
    clock.advance(HOUR)
    expect((await gate.check(pay('k2'))).status).toBe('pending')
    const sweeper = startSweeper({ store, every: 60_000 })
    await sweeper.sweep()
    await sweeper.stop()
    expect((await gate.admin.grants.get(short.id))?.state).toBe('expired')
    const call = pay('k3', { amount: 1 })
    const again = await grantedBy(gate.with({ run: 'chat-3' }), call)
    const own = gate.with({ run: 'chat-3' })
    expect((await own.run({ ...call, key: 'k4' }, tool)).status).toBe('succeeded')
    const waiting = await own.check({ ...call, key: 'k5' })
    if (waiting.status !== 'approved') throw new Error(waiting.status)
    await gate.admin.grants.revoke(again.id, ana)
    expect(await own.resume(waiting.approval.id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'invalidated',
    })
    expect((await own.check({ ...call, key: 'k6' })).status).toBe('pending')
    expect(tool.starts).toHaveLength(1)
    const { entries } = await store.eventsSince('start', 500)
    const types = entries.map(({ event }) => event.type).filter((type) => type.startsWith('grant.'))
    expect(types).toEqual([
      'grant.minted',
      'grant.expired',
      'grant.minted',
      'grant.used',
      'grant.used',
      'grant.revoked',
    ])
    const log = await store.vault.log()
    expect(await verifyAudit(() => recordsOf(log, { at: 0 }))).toMatchObject({ ok: true })
  },
)

promise.each(
  ['CS-GRANT-6'],
  'checked first and resumed later, a granted call runs once and counts once',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const grant = await grantedBy(gate, pay('k1'))
    const checked = await gate.check(pay('k2'))
    if (checked.status !== 'approved') throw new Error(checked.status)
    expect(checked.approval.execution).toBeUndefined()
    expect(await gate.check(pay('k2'))).toMatchObject({ approval: { id: checked.approval.id } })
    const { id, askedDigest } = checked.approval
    expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'succeeded' })
    await expect(gate[internals].claim(id, askedDigest)).rejects.toMatchObject({
      code: 'already_claimed',
    })
    expect(tool.starts).toHaveLength(1)
    expect((await gate.admin.grants.get(grant.id))?.uses).toBe(1)
  },
)

promise.each(['CS-GRANT-5'], 'a grant loosens nothing else', BOTH, async (name) => {
  let text = POLICY
  let isLocked = false
  const { gate, tool } = await setUp(name, {
    policy: () => policyOf(text),
    authorize: () => (isLocked ? { code: 'locked' } : undefined),
  })
  const grant = await grantedBy(gate, pay('k1'), { anyRun: true })
  const tighter = [
    'governance: [{ id: g, match: { tool: pay }, deny: Not today }]',
    'tools: { pay: { approval: { grants: false } } }',
    'governance: [{ id: g, match: { tool: pay }, approval: { grants: false } }]',
    'tools: { pay: { risk: L5, approval: true } }',
    'tools: { pay: { approval: { min_assurance: passkey } } }',
    'tools: { pay: { approval: { reason: required_always } } }',
    'people: { groups: { f: [kim@example.com, bo@example.com] } }\ntools: { pay: { approval: { quorum: [{ group: f, n: 2 }] } } }',
    'tools: { pay: { approval: { approvers: [bo@example.com] } } }',
  ]
  for (const [index, one] of tighter.entries()) {
    text = one
    const { status } = await gate.check(pay(`t${index}`))
    expect(['blocked', 'pending'], one).toContain(status)
  }
  text = POLICY
  isLocked = true
  expect(await gate.check(pay('l1'))).toMatchObject({ status: 'blocked', code: 'locked' })
  isLocked = false
  const refusing = gate.with({ run: 'chat-no' })
  // A no of this run is an answer of its own, whatever was granted.
  await gate.admin.grants.revoke(grant.id, kim)
  const asked = refusing.run(pay('n1'), tool)
  await deny(gate, await nextPending(gate, await pendingIds(gate, 'chat-no')))
  expect(await asked).toMatchObject({ status: 'blocked', code: 'denied' })
  await grantedBy(gate.with({ run: 'chat-yes' }), pay('y1'), { anyRun: true })
  expect(await refusing.run(pay('n2'), tool)).toMatchObject({ status: 'blocked', code: 'denied' })
  expect(tool.starts).toHaveLength(0)
})

async function pendingIds(gate: Gate, notRun: string): Promise<string[]> {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return approvals.filter(({ call }) => call.run !== notRun).map(({ id }) => id)
}

promise.each(
  ['CS-GRANT-1'],
  'a grant counts only while its maker could approve, and still exists',
  BOTH,
  async (name) => {
    let now: Person | undefined = kim
    const people: People = {
      directory: () => ({ groups: {}, approvers: 'open' }),
      lookup: (one) => (one.subject === 'kim' ? now : one),
    }
    const { gate, tool } = await setUp(name, { people })
    const grant = await grantedBy(gate, pay('k1'))
    const gone = [undefined, { ...kim, locked: true }, { ...kim, roles: [] }]
    for (const [index, state] of gone.entries()) {
      now = state
      expect((await gate.check(pay(`g${index}`))).status).toBe('pending')
    }
    now = kim
    expect(await gate.admin.grants.whyNot(grant)).toBeUndefined()
    expect(await gate.run(pay('k2'), tool)).toMatchObject({ status: 'succeeded' })
    now = undefined
    expect(await gate.admin.grants.whyNot(grant)).toContain('gone')
  },
)

promise(['CS-GRANT-9', 'CS-GRANT-5'], 'who may not decide alone makes no grant', async () => {
  const { gate } = await setUp('memory')
  const finance = (one: Person) => ({ ...one, groups: ['finance'] })
  void gate.run({ tool: 'wire', key: 'w', args: {} }, async () => 1, { waitFor: 60_000 })
  const wire = await nextPending(gate)
  expect(gate.admin.grants.propose(wire, finance(ana)).refusal?.code).toBe('not_grantable')
  const yes = { verdict: 'approve', seen: wire.digest, grant: {} } as const
  await expect(gate.approvals.decide(wire.id, { ...yes, by: finance(ana) })).rejects.toMatchObject({
    code: 'not_grantable',
  })
  expect((await gate.approvals.get(wire.id))?.approval.decisions).toEqual([])
  await expect(gate.admin.grants.mintFrom(wire.id, finance(ana))).rejects.toMatchObject({
    code: 'not_approved',
  })
  for (const by of [ana, bo]) await approve(gate, wire, finance(by))
  await expect(gate.admin.grants.mintFrom(wire.id, finance(ana))).rejects.toMatchObject({
    code: 'not_grantable',
  })
  const hand = { tool: 'pay', agent: 'biller', condition: { args_match: { amount: { lte: 5 } } } }
  const viewer = person('vic', { roles: ['viewer'] })
  await expect(gate.admin.grants.mint(viewer, hand)).rejects.toMatchObject({
    code: 'not_permitted',
  })
  const open: Json[] = [{}, { args_match: {} }, [], [{ args_match: { amount: {} } }], { args: 1 }]
  for (const condition of open) {
    await expect(gate.admin.grants.mint(kim, { ...hand, condition })).rejects.toMatchObject({
      code: 'invalid_value',
    })
  }
  const forever = gate.admin.grants.mint(kim, { ...hand, lasts: 31 * 24 * HOUR })
  await expect(forever).rejects.toMatchObject({ code: 'invalid_command' })
  expect((await gate.admin.grants.list()).grants).toEqual([])
})

promise.each(
  ['CS-GRANT-7'],
  'made by hand, or afterwards from an approval, it works the same',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const condition = { args_match: { amount: { lte: 5 } } }
    const hand = { tool: 'pay', agent: 'biller', condition, reason: 'coffee' }
    await gate.admin.grants.mint(kim, hand)
    expect((await gate.run(pay('k1', { amount: 3 }), tool)).status).toBe('succeeded')
    const asked = gate.run(pay('k2'), tool)
    const { id } = await approve(gate, await nextPending(gate))
    await asked
    const later = await gate.admin.grants.mintFrom(id, kim, { uses: 1 })
    expect(later).toMatchObject({ from: id, limits: { uses: 1 } })
    expect((await gate.run(pay('k3'), tool)).status).toBe('succeeded')
    expect((await gate.check(pay('k4'))).status).toBe('pending')
    expect(tool.starts).toHaveLength(3)
  },
)
