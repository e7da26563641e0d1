import { expect } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createGate } from '../../src/gate/gate.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { HOST, POLICY, running, type Sender } from './harness.ts'

const RUN = 'cloudflare:expense-7'

function pay(run: string, more: object = {}) {
  return { tool: 'pay', run, args: { amount: 500, to: run, card: '4111-canary' }, ...more }
}

type Own = ReturnType<typeof running>

async function ask(own: Own, as: Sender, body: object): Promise<string> {
  return (await own.send('/v1/calls', { as, body })).at('id')
}

const report = (own: Own, as: Sender, id: string, body: object) =>
  own.send(`/v1/approvals/${id}/reports`, { as, body })

const runOf = async (own: Own, as: Sender, id: string) =>
  own.send(`/v1/approvals/${id}/run`, { as })

promise(
  ['CS-FLOW-10'],
  'the page of a run shows its questions and what the workflow reported, secrets hidden, and none of it decides',
  async () => {
    const own = running()
    const agent = await own.agent('bot')
    const ana = await own.person('ana@example.com')
    const workflow = { name: 'Expenses', done: ['validate'], next: ['pay'] }
    const first = await ask(own, agent, pay(`${RUN}/a`))
    const second = await ask(own, agent, pay(`${RUN}/a/pay%232`, { context: { workflow } }))
    await ask(own, agent, pay('cloudflare:expense-70/a'))
    const url = `http://${HOST}`
    const gate = remoteGate({
      url,
      token: agent.authorization?.replace('Bearer ', '') ?? '',
      announce: false,
      fetch: async (input, init) => own.server.app.request(String(input), withHost(init)),
    })
    const progress = { step: 'fetch', status: 'running', percent: 0.5 }
    await gate.approvals.report(first, { type: 'progress', progress })
    // A durable step that runs again after a crash.
    await gate.approvals.report(first, { type: 'progress', progress })
    await gate.approvals.report(first, { type: 'error', error: 'card 4111-canary was refused' })
    const result = {
      paid: 500,
      card: '4111-canary',
      token: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
    }
    await gate.approvals.report(second, { type: 'complete', result })
    for (const id of [first, second]) {
      const { status, body } = await runOf(own, ana, id)
      expect(status).toBe(200)
      expect(body).toMatchObject({ engine: 'cloudflare', id: 'expense-7', agent: 'bot', workflow })
      const { reports, approvals } = body as {
        reports: readonly object[]
        approvals: readonly { id: string; status: string; mine: { may: boolean } }[]
      }
      expect(reports).toMatchObject([
        { type: 'progress', approval: first, progress },
        { type: 'error', error: 'card [secret] was refused' },
        { type: 'complete', approval: second, result: { paid: 500, card: '[secret]' } },
      ])
      expect(JSON.stringify(reports)).not.toMatch(/canary|ghp_/)
      expect(approvals.map((one) => one.id).sort()).toEqual([first, second].sort())
      expect(approvals.map((one) => [one.status, one.mine.may])).toEqual([
        ['pending', true],
        ['pending', true],
      ])
    }
  },
)

function withHost(init: RequestInit | undefined): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('host', HOST)
  return { ...init, headers }
}

promise(
  ['CS-FLOW-10'],
  'another agent, another user and another door report nothing on a run, although it has the same id',
  async () => {
    const own = running()
    const agent = await own.agent('bot', { principal: 'uma@example.com' })
    const ana = await own.person('ana@example.com')
    const id = await ask(own, agent, pay(`${RUN}/a`))
    const others = [
      [await own.agent('other'), {}],
      [await own.agent('bot'), {}],
      [await own.agent('bot', { principal: 'bo@example.com' }), {}],
      [await own.agent('bot', { vouches: true }), { principal: 'uma@example.com' }],
    ] as const
    for (const [as, named] of others) {
      const forged = { type: 'complete', result: 'all paid' }
      const refused = await report(own, as, id, forged)
      expect([refused.status, refused.at('error.code')]).toEqual([404, 'approval_not_found'])
      // With a question of their own under the name of the run.
      const foreign = await ask(own, as, pay(`${RUN}/b`, named))
      expect((await report(own, as, foreign, forged)).status).toBe(204)
      expect((await runOf(own, as, foreign)).status).toBe(403)
    }
    expect((await report(own, ana, id, { type: 'complete' })).status).toBe(403)
    const { body } = await runOf(own, ana, id)
    expect(body).toMatchObject({ reports: [], approvals: [{ id }] })
    expect((body as { approvals: unknown[] }).approvals).toHaveLength(1)

    // In a process of its own: the gate of another agent, and of another user.
    const gates = [{ agent: 'other' }, { agent: 'bot', principal: 'bo@example.com' }] as const
    for (const identity of gates) {
      const gate = createGate({
        policy: policyOf(''),
        store: own.store,
        announce: false,
        ...identity,
      })
      await expect(gate.approvals.report(id, { type: 'complete' })).rejects.toMatchObject({
        code: 'approval_not_found',
      })
    }
  },
)

promise(
  ['CS-FLOW-10'],
  'a call of no workflow has no run; reports are bounded, and how a run ended outlasts its progress',
  async () => {
    const own = running()
    const agent = await own.agent('bot')
    const ana = await own.person('ana@example.com')
    const plain = await ask(own, agent, pay('r1'))
    expect((await report(own, agent, plain, { type: 'complete' })).at('error.code')).toBe('usage')
    expect((await runOf(own, ana, plain)).status).toBe(404)
    const id = await ask(own, agent, pay(RUN))
    const empty = await report(own, agent, id, { type: 'error' })
    expect(empty.at('error.code')).toBe('invalid_value')
    await report(own, agent, id, { type: 'complete', result: 'x'.repeat(20_000) })
    await report(own, agent, id, { type: 'error', error: '\u0001'.repeat(20_000) })
    for (let n = 0; n < 120; n += 1) {
      const progress = { n, filler: 'y'.repeat(1_000) }
      expect((await report(own, agent, id, { type: 'progress', progress })).status).toBe(204)
    }
    const { body } = await runOf(own, ana, id)
    const { reports } = body as { reports: readonly { type: string; progress?: { n: number } }[] }
    expect(reports.slice(0, 2)).toMatchObject([
      { type: 'complete', isCut: true },
      { type: 'error', isCut: true },
    ])
    expect(reports.at(-1)?.progress?.n).toBe(119)
    expect(reports.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(reports).length).toBeLessThan(65_536)
  },
)

promise(
  ['CS-FLOW-10'],
  'reports are kept no longer than arguments are, and none is taken where these are gone',
  async () => {
    const own = running({ policy: `${POLICY}retain: 25h\n` })
    const agent = await own.agent('bot')
    const id = await ask(own, agent, pay(RUN))
    expect((await report(own, agent, id, { type: 'complete' })).status).toBe(204)
    const { records } = await own.store.records.list('workflow-run')
    expect(records).toMatchObject([{ value: { reports: [{ type: 'complete' }] } }])
    const [{ at = 0, expiresAt = 0 } = {}] = records
    expect(expiresAt - at).toBeLessThanOrEqual(25 * 3_600_000)
    await own.send(`/v1/approvals/${id}/withdraw`, { as: agent, method: 'POST' })
    await own.store.erase((await own.store.now()) + 1)
    const late = await report(own, agent, id, { type: 'error', error: 'card 4111-canary' })
    expect([late.status, late.at('error.code')]).toEqual([410, 'content_gone'])
  },
)
