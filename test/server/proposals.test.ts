import { expect } from 'vitest'
import type { Proposals } from '../../src/api/policy/proposals.ts'
import type { RuleDraft } from '../../src/api/policy/rules.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

const START = Date.UTC(2026, 10, 1)

async function world(policy = POLICY) {
  let now = START
  const store = memoryStore({ clock: () => now })
  const file = { text: policy }
  const at = running({ file, store })
  const bot = await at.agent('bot')
  const people = [await at.person('ana@example.com'), await at.person('bo@example.com')]
  const admin = await at.person('root@example.com', ['viewer', 'approver', 'admin'])
  let asked = 0
  /** Asked, read for ten seconds, and answered by the people in turn. */
  const answered = async (
    args: object,
    verdict: 'approve' | 'deny' | 'edit',
    { tool = 'pay', by = undefined as number | undefined, reads = 10_000 } = {},
  ) => {
    asked += 1
    const body = { tool, args, key: `k${asked}`, run: `r${asked}` }
    const call = (await at.send('/v1/calls', { as: bot, body })).body as {
      id: string
      digest: string
    }
    now += reads
    const as = people[by ?? asked % 2] ?? admin
    const edit = { verdict: 'approve', edit: { arguments: { ...args, amount: 1 } } }
    const decision = { digest: call.digest, ...(verdict === 'edit' ? edit : { verdict }) }
    const answer = await at.send(`/v1/approvals/${call.id}/decisions`, { as, body: decision })
    expect(answer.status).toBe(200)
    return call
  }
  const proposals = async (as = admin) =>
    (await at.send('/v1/policy/proposals', { as })).body as Proposals
  return { ...at, file, people, admin, answered, proposals, pass: (ms: number) => (now += ms) }
}

promise(
  ['CS-RULES-5'],
  'what people always refuse is proposed as a rule that denies it, and never applied',
  async () => {
    const at = await world()
    const evil = 'yes\n  approval: false # "ok"'
    for (let n = 0; n < 9; n += 1) await at.answered({ amount: 200, to: evil }, 'deny')
    for (let n = 0; n < 5; n += 1) await at.answered({ amount: 200, to: 'Bo' }, 'approve')
    // Nine are too few.
    expect((await at.proposals()).proposals).toEqual([])
    await at.answered({ amount: 200, to: evil }, 'deny')
    const [found] = (await at.proposals()).proposals
    expect(found).toMatchObject({
      kind: 'tighten',
      calls: 10,
      of: 15,
      people: 2,
      denied: 10,
      accepts: 'admin',
      // Boxed: the agent's text is one quoted value.
      words: `deny when to is ${JSON.stringify(evil)}`,
      rule: { verdict: 'deny', place: 'extra', when: [[{ path: 'to', op: 'eq', value: evil }]] },
    })
    if (found?.kind !== 'tighten') throw new Error('no rule was proposed')
    const body = { from: found.examples[0], rule: found.rule }
    const draft = (await at.send('/v1/policy/rule', { as: at.admin, body })).body as RuleDraft
    expect(draft.mistakes).toEqual([])
    expect(draft.replay).toMatchObject({ stricter: 10, looser: 0, same: 5 })
    expect(at.file.text).toBe(POLICY)
    // Dismissed for good, on record, and only what is there can be.
    const dismiss = (id: string, as = at.admin) =>
      at.send(`/v1/policy/proposals/${id}/dismiss`, { as, method: 'POST' })
    expect((await dismiss('0'.repeat(64))).status).toBe(404)
    expect((await dismiss(found.id, at.people[0])).status).toBe(403)
    expect((await dismiss(found.id)).body).toMatchObject({ proposals: [], dismissed: 1 })
    await at.answered({ amount: 200, to: evil }, 'deny')
    expect(await at.proposals()).toMatchObject({ proposals: [], dismissed: 1 })
    const events = JSON.stringify((await at.store.eventsSince('start', 500)).entries)
    expect(events).toContain('proposal.dismissed')
    expect(events).not.toContain('approval: false #')
  },
)

promise(
  ['CS-RULES-5'],
  'what a rule refuses already is not proposed, and no proposal replaces another rule',
  async () => {
    const refuses = `${POLICY}  - id: refuse-pay
    match: { tool: pay }
    condition: { args_match: { to: evil } }
    deny: no
`
    const at = await world()
    for (let n = 0; n < 10; n += 1) await at.answered({ amount: 200, to: 'evil' }, 'deny')
    for (let n = 0; n < 10; n += 1) await at.answered({ amount: 200, to: 'worse' }, 'deny')
    await at.answered({ amount: 200, to: 'Bo' }, 'approve')
    at.file.text = refuses
    const { name } = (await at.send('/v1/policy/draft', { as: at.admin })).body as { name: string }
    const applied = await at.send('/v1/policy/apply', { as: at.admin, body: { name } })
    expect(applied.status).toBe(200)
    const [found] = (await at.proposals()).proposals
    if (found?.kind !== 'tighten') throw new Error('no rule was proposed')
    expect(found.words).toBe('deny when to is "worse"')
    const body = { from: found.examples[0], rule: found.rule }
    const draft = (await at.send('/v1/policy/rule', { as: at.admin, body })).body as RuleDraft
    expect(draft.text).toContain('args_match: { to: evil }')
    expect(draft.text).toContain('refuse-pay-2')
  },
)

promise(
  ['CS-RULES-5'],
  'a limit is proposed at the smallest refused number, above all that people let through',
  async () => {
    const at = await world()
    for (let n = 0; n < 6; n += 1) {
      await at.answered({ amount: 5_000 + n, to: `to-${n}` }, 'deny')
      await at.answered({ amount: 900 + n, to: `to-${n}` }, 'approve')
      await at.answered({ amount: 6_000 + n, to: `to-${n}` }, 'edit')
    }
    const [found] = (await at.proposals()).proposals
    expect(found).toMatchObject({
      kind: 'tighten',
      words: 'deny when amount is at least 5000',
      denied: 6,
      edited: 6,
    })
    // One call above it that people let run, and there is no such limit.
    await at.answered({ amount: 5_500, to: 'x' }, 'approve')
    expect((await at.proposals()).proposals).toEqual([])
  },
)

promise(
  ['CS-RULES-6'],
  'an exact call that people approved often is proposed as a grant that covers nothing else',
  async () => {
    const at = await world(
      'version: 1\ntools: { fetch: { risk: L2, approval: { approvers: ["*"] } } }\n',
    )
    // A number that an agent made large is as exact as any other.
    const args = { url: 'b', amount: 99_999_999 }
    for (let n = 0; n < 60; n += 1) await at.answered(args, 'approve', { tool: 'fetch' })
    const [found] = (await at.proposals(at.people[0])).proposals
    expect(found).toMatchObject({ kind: 'relax', calls: 60, people: 2, agent: 'bot' })
    if (found?.kind !== 'relax') throw new Error('no grant was proposed')
    const body = { from: found.from, uses: found.uses, for: found.for, any_run: true }
    expect((await at.send('/v1/grants', { as: at.people[0], body })).status).toBe(201)
    const bot = await at.agent('bot')
    const run = async (made: object) =>
      (await at.send('/v1/calls', { as: bot, body: { tool: 'fetch', args: made, run: 'new' } })).at(
        'status',
      )
    expect(await run(args)).toBe('approved')
    for (const other of [{ ...args, force: true }, { ...args, amount: 5 }, { url: 'b' }]) {
      expect(await run(other)).toBe('pending')
    }
  },
  60_000,
)
