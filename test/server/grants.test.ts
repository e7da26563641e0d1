import { expect } from 'vitest'
import type { GrantBody } from '../../src/api/grant.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { promise } from '../support/promise.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

const CALL = { tool: 'pay', run: 'chat-1', args: { amount: 500, to: 'rent' } }

interface Cast extends Running {
  readonly bot: Sender
  readonly kim: Sender
  readonly vic: Sender
}

async function cast(): Promise<Cast> {
  const own = running()
  return {
    ...own,
    bot: await own.agent('bot'),
    kim: await own.person('kim@example.com', ['approver']),
    vic: await own.person('vic@example.com', ['viewer']),
  }
}

async function ask({ send, bot }: Cast, key: string, change: object = {}) {
  return send('/v1/calls', { as: bot, body: { ...CALL, key, ...change } })
}

promise(['CS-GRANT-7', 'CS-GRANT-8'], 'a yes and a grant in one act, over HTTP', async () => {
  const own = await cast()
  const { send, kim, bot } = own
  const asked = await ask(own, 'k1')
  const at = `/v1/approvals/${asked.at('id')}`
  const proposed = await send(`${at}/grant-proposal`, { as: kim, body: {} })
  expect(proposed.body).toMatchObject({
    may: true,
    rule: { arguments: 'exact', agent: 'bot', run: 'chat-1', uses: 10, lasts: 3_600_000 },
  })
  const card = await send(at, { as: kim })
  expect(card.body).toMatchObject({ can: expect.arrayContaining(['approve', 'grant']) })
  const wish = { uses: 2, for: '30m' }
  const body = { verdict: 'approve', digest: asked.at('digest'), grant: wish }
  expect((await send(`${at}/decisions`, { as: kim, body })).at('status')).toBe('approved')
  const { body: page } = await send('/v1/grants?state=live', { as: kim })
  expect(page).toMatchObject({
    grants: [{ counts: true, usesLeft: 2, used: 0, from: asked.at('id'), mayRevoke: true }],
  })
  const id = (page as { grants: { id: string }[] }).grants[0]?.id ?? ''

  const again = await ask(own, 'k2')
  expect(again.body).toMatchObject({ status: 'approved' })
  const claimAt = `/v1/approvals/${again.at('id')}/claim`
  const claimed = await send(claimAt, { as: bot, body: { digest: again.at('digest') } })
  expect(claimed.body).toMatchObject({ args: CALL.args })
  const granted = await send(`/v1/approvals/${again.at('id')}`, { as: kim })
  expect(granted.body).toMatchObject({ decisions: [{ grant: id, verdict: 'approve' }] })
  expect((await ask(own, 'k3', { args: { ...CALL.args, amount: 501 } })).at('status')).toBe(
    'pending',
  )
  expect((await send(`/v1/grants/${id}/uses`, { as: kim })).body).toMatchObject({
    uses: [{ n: 1, approval: again.at('id') }],
  })
  expect((await send('/v1/grants?state=live', { as: kim })).body).toMatchObject({
    grants: [{ used: 1, lastUse: { n: 1, approval: again.at('id') } }],
  })

  const revoked = await send(`/v1/grants/${id}`, { as: kim, method: 'DELETE' })
  expect(revoked.body).toMatchObject({ state: 'revoked', counts: false, why: 'It was revoked.' })
  expect((await ask(own, 'k4')).at('status')).toBe('pending')
})

promise(['CS-GRANT-9'], 'agents and onlookers make no grants, and revoke none', async () => {
  const own = await cast()
  const { send, bot, vic, kim } = own
  const condition = { args_match: { amount: { lte: 500 } } }
  const hand: GrantBody = { tool: 'pay', agent: 'bot', condition }
  const made = await send('/v1/grants', { as: kim, body: hand })
  expect(made.status).toBe(201)
  const at = `/v1/grants/${made.at('id')}`
  for (const as of [bot, vic]) {
    expect((await send('/v1/grants', { as, body: hand })).status).toBe(403)
    expect((await send(at, { as, method: 'DELETE' })).status).toBe(403)
  }
  expect((await send('/v1/grants', { as: bot })).status).toBe(403)
  expect((await send(at, { as: vic })).body).toMatchObject({ counts: true, mayRevoke: false })
  const asked = await ask(own, 'k1', { args: { amount: 501, to: 'x' } })
  const path = `/v1/approvals/${asked.at('id')}`
  const proposal = await send(`${path}/grant-proposal`, { as: vic, body: {} })
  expect(proposal.body).toMatchObject({ may: false, code: 'not_grantable' })
  const wrong: object[] = [
    { from: asked.at('id') },
    { from: asked.at('id'), tool: 'wire' },
    { ...hand, for: '31 days' },
    { ...hand, for: 'ever' },
    { ...hand, uses: 0 },
    { ...hand, uses: 10_001 },
    { ...hand, condition: {} },
    { ...hand, condition: { args_match: { amount: { above: 5 } } } },
    { ...hand, budget: { path: 'a..b', most: 5 } },
    { ...hand, budget: { path: 'amount', most: -5 } },
    { ...hand, principal: 'x' },
    { tool: 'pay', agent: 'bot' },
  ]
  for (const body of wrong) {
    const { status } = await send('/v1/grants', { as: kim, body })
    expect([400, 409], JSON.stringify(body)).toContain(status)
  }
  const both = await ask(own, 'k2', { tool: 'wire', args: {} })
  const wire = `/v1/approvals/${both.at('id')}/grant-proposal`
  expect((await send(wire, { as: kim, body: {} })).body).toMatchObject({ may: false })
})

promise(['CS-GRANT-6'], 'the client runs a granted call like any other yes', async () => {
  const own = await cast()
  const { send, kim, bot, server } = own
  const hand = {
    tool: 'pay',
    agent: 'bot',
    condition: { args_match: { to: 'rent' } },
    budget: { path: 'amount', most: 900 },
  }
  const made = await send('/v1/grants', { as: kim, body: hand })
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: bot.authorization?.replace('Bearer ', '') ?? '',
    fetch: async (input, init) => server.app.fetch(new Request(input, withHost(init))),
    waitFor: 50,
  })
  const ran: unknown[] = []
  const tool = async (args: unknown) => ran.push(args)
  expect(await gate.run({ ...CALL, key: 'k1' }, tool)).toMatchObject({ status: 'succeeded' })
  expect(await gate.run({ ...CALL, key: 'k2' }, tool)).toMatchObject({
    status: 'blocked',
    code: 'withdrawn',
  })
  expect(ran).toEqual([CALL.args])
  expect((await send(`/v1/grants/${made.at('id')}`, { as: kim })).body).toMatchObject({
    used: 1,
    spent: '500',
    budgetLeft: '400',
  })
})

function withHost(init: RequestInit | undefined): RequestInit {
  return { ...init, headers: { ...(init?.headers as Record<string, string>), host: HOST } }
}
