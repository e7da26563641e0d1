import { expect, test } from 'vitest'
import { sha256 } from '../../src/base/json/digest.ts'
import { createRefusedAttempts } from '../../src/server/evidence/refused-attempts.ts'
import { createVerdictCounts } from '../../src/server/evidence/verdict-counts.ts'
import { policyInForce } from '../../src/server/policy/policy-in-force.ts'
import type { AdminDraft } from '../../src/store/engine/amendment.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running, stateOf } from './harness.ts'

const PAY = { tool: 'pay', run: 'r', key: '1', args: { amount: 500, to: 'Lena-the-payee' } }

async function recorded(store: Store, type: string) {
  const { entries } = await store.eventsSince('start', 1_000)
  return entries.flatMap(({ event }) => (event.type === type && 'by' in event ? [event] : []))
}

promise(
  ['CS-EVIDENCE-1'],
  'the texts of a policy that comes into force are sealed in its event, and stay after erasing',
  async () => {
    const store = memoryStore()
    const files = stateOf(POLICY)
    await policyInForce({ store, files, parse: () => files, apply: false })
    const [loaded] = await recorded(store, 'policy.loaded')
    expect(loaded?.facts?.texts).toEqual([`owner ${await sha256(POLICY)}`])
    await store.erase((await store.now()) + 1_000)
    const [content] = await store.content(`policy:${loaded?.command}`)
    expect(content).toMatchObject({ kind: 'policy', value: { role: 'owner', text: POLICY } })
  },
)

promise(
  ['CS-EVIDENCE-1'],
  'a policy that an admin applies is on record with its texts',
  async () => {
    const changed = POLICY.replace('note: { approval: true }', 'note: { approval: false }')
    const { send, person, store } = running({ onDisk: () => changed })
    const ana = await person('ana@example.com', ['admin'])
    const draft = await send('/v1/policy/draft', { as: ana })
    await send('/v1/policy/apply', { as: ana, body: { name: draft.at('name') } })
    const [applied] = await recorded(store, 'policy.applied')
    const [content] = await store.content(`policy:${applied?.command}`)
    expect(content?.value).toEqual({ role: 'owner', text: changed })
  },
)

promise(
  ['CS-EVIDENCE-2'],
  'who tried to decide without the right is on record, with the approval and the code',
  async () => {
    const { send, person, agent, server, store } = running()
    const [bot, vera] = [await agent('bot'), await person('vera@example.com', ['viewer'])]
    const asked = await send('/v1/calls', { as: bot, body: { ...PAY, tool: 'wire' } })
    const path = `/v1/approvals/${asked.at('id')}/decisions`
    const body = { verdict: 'approve', digest: asked.at('digest') }
    expect((await send(path, { as: vera, body })).status).toBe(403)
    const olga = await person('olga@example.com', ['approver'])
    for (let n = 0; n < 3; n += 1) {
      expect((await send(path, { as: olga, body })).at('error.code')).toBe('not_an_approver')
    }
    expect((await send(path, { as: bot, body })).at('error.code')).toBe('not_permitted')
    await send('/v1/session', { body: { token: 'x'.repeat(43) } })
    await send('/v1/calls', { as: { authorization: 'Bearer cs_nothing' }, body: PAY })
    await server.close()
    const events = await recorded(store, 'attempt.refused')
    const found = events.map(({ by, facts }) => ({ by, ...facts }))
    const at = 'POST /v1/approvals/:id/decisions'
    const stranger = { at, code: 'not_an_approver', approval: asked.at('id') }
    const by = (subject: string) => ({ person: { issuer: 'local', subject } })
    const without = { by: { system: 'gate' }, at: 'a request without a sign-in', count: 1 }
    expect(found).toEqual([
      { by: by('vera@example.com'), ...stranger, count: 1 },
      { by: by('olga@example.com'), ...stranger, count: 3 },
      { by: { agent: 'bot' }, at, code: 'not_permitted', count: 1 },
      { ...without, code: 'signin_expired' },
      { ...without, code: 'token_unknown' },
    ])
    expect(JSON.stringify(events)).not.toContain('Lena')
  },
)

test('mistakes of a client are no attempts', async () => {
  const { send, person, server, store } = running()
  const ana = await person('ana@example.com')
  await send('/v1/approvals/unknown/decisions', { as: ana, body: { verdict: 'perhaps' } })
  await send('/v1/approvals/unknown', { as: ana })
  await server.close()
  expect(await recorded(store, 'attempt.refused')).toEqual([])
})

/** Keeps what is amended; fails while it is told to. */
function keeper() {
  const kept: AdminDraft[] = []
  const state = { isAway: false }
  const amend: Store['amend'] = async ({ event }) => {
    if (state.isAway) throw new Error('away')
    kept.push(event)
    return true
  }
  return { kept, state, store: { amend } }
}

promise(
  ['CS-EVIDENCE-2'],
  'a hundred thousand refusals become a bounded number of entries, and all are counted',
  async () => {
    const { kept, store } = keeper()
    const attempts = createRefusedAttempts(store)
    for (let n = 0; n < 100_000; n += 1) {
      const by = { agent: `bot ${n % 500}` }
      attempts.note({ code: 'not_permitted', by, at: 'POST /v1/locks' })
    }
    await attempts.close()
    expect(kept.length).toBe(61)
    const counts = kept.map(({ facts }) => Number(facts?.count))
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(100_000)
  },
)

promise(
  ['CS-EVIDENCE-2'],
  'a first refusal is written soon, repeats at the end of the window, and none is lost while the database is away',
  async () => {
    const { kept, state, store } = keeper()
    const attempts = createRefusedAttempts(store, { soonMs: 1, windowMs: 30 })
    const attempt = { code: 'self_approval', by: { agent: 'a' }, at: 'x' } as const
    attempts.note(attempt)
    await expect.poll(() => kept.length).toBe(1)
    state.isAway = true
    attempts.note(attempt)
    attempts.note(attempt)
    await new Promise((resolve) => setTimeout(resolve, 40))
    state.isAway = false
    await expect.poll(() => kept.map(({ facts }) => facts?.count)).toEqual([1, 2])
    await attempts.close()
    expect(kept).toHaveLength(2)
  },
)

promise(
  ['CS-EVIDENCE-3'],
  'what the policy let through and denied is counted by agent, tool and rule in one entry',
  async () => {
    const { send, agent, server, store } = running()
    const bot = await agent('bot')
    for (let n = 0; n < 5; n += 1) {
      await send('/v1/calls', { as: bot, body: { tool: 'read', args: {} } })
    }
    const denied = await send('/v1/calls', { as: bot, body: { tool: 'wipe_all', args: {} } })
    expect(denied.status).toBe(200)
    await send('/v1/calls', { as: bot, body: PAY })
    expect(await recorded(store, 'calls.counted')).toEqual([])
    await server.close()
    const [counted, ...more] = await recorded(store, 'calls.counted')
    expect(more).toEqual([])
    expect(counted?.facts).toMatchObject({ allowed: 5, denied: 1 })
    const lines = ((counted?.facts?.lines ?? []) as string[]).map((line) => JSON.parse(line))
    expect(lines).toEqual([
      { verdict: 'allow', agent: 'bot', tool: 'read', count: 5 },
      { verdict: 'deny', agent: 'bot', tool: 'wipe_all', rule: 'governance.no-wipes', count: 1 },
    ])
  },
)

promise(
  ['CS-EVIDENCE-3'],
  'invented names fill no entry, and counts survive a database that is away',
  async () => {
    const { kept, state, store } = keeper()
    const verdicts = createVerdictCounts(store, 5)
    state.isAway = true
    for (let n = 0; n < 1_000; n += 1) verdicts.count({ verdict: 'allow', tool: `tool-${n}` })
    await new Promise((resolve) => setTimeout(resolve, 15))
    state.isAway = false
    await verdicts.close()
    expect(kept).toHaveLength(1)
    expect(kept[0]?.facts).toMatchObject({ allowed: 1_000, unnamed: 800 })
    expect(kept[0]?.facts?.lines).toHaveLength(200)
  },
)

promise(
  ['CS-EVIDENCE-2'],
  'one caller that is refused everywhere does not take the names from the attempts of others',
  async () => {
    const { kept, store } = keeper()
    const attempts = createRefusedAttempts(store)
    for (let n = 0; n < 1_000; n += 1) {
      attempts.note({ code: 'not_permitted', by: { agent: 'noisy' }, at: `GET /v1/route-${n}` })
    }
    const by = { person: { issuer: 'local', subject: 'eve' } }
    attempts.note({ code: 'self_approval', by, at: 'POST /v1/approvals/:id/decisions' })
    await attempts.close()
    expect(kept.find((one) => one.facts?.code === 'self_approval')?.by).toEqual(by)
    const counts = kept.map(({ facts }) => Number(facts?.count))
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(1_001)
  },
)

promise(
  ['CS-EVIDENCE-3'],
  'calls are counted under their own names, however those are spelled, and no cut shows a secret',
  async () => {
    const { kept, store } = keeper()
    const verdicts = createVerdictCounts(store)
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    verdicts.count({ verdict: 'deny', agent: 'a', server: 's', tool: 't\nr', rule: 'q' })
    verdicts.count({ verdict: 'deny', agent: 'a', server: 's', tool: 't', rule: 'r\nq' })
    verdicts.count({ verdict: 'allow', server: 'undefined', tool: 't' })
    verdicts.count({ verdict: 'allow', tool: 't' })
    verdicts.count({ verdict: 'allow', tool: `${'x'.repeat(110)} ${token}` })
    await verdicts.close()
    const lines = kept[0]?.facts?.lines as string[]
    expect(lines.map((line) => JSON.parse(line).count)).toEqual([1, 1, 1, 1, 1])
    expect(lines.join()).not.toContain('ghp_')
  },
)
