import { expect, test } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { person } from '../gate/gates.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const ARGS = { amount: 500, to: 'x', card: '4111-canary', env: [{ GITHUB_TOKEN: 'tok-canary' }] }
const PAY = { tool: 'pay', run: 'r1', args: ARGS }

async function asked(own: ReturnType<typeof running>, call: object = PAY) {
  const { at } = await own.send('/v1/calls', {
    as: await own.agent('bot', { vouches: true }),
    body: call,
  })
  return { path: `/v1/approvals/${at('id')}`, id: at('id'), digest: at('digest') }
}

promise(
  ['CS-SEC-4'],
  'a masked value is shown to who may decide, and it is on record',
  async () => {
    const own = running()
    const { path, id, digest } = await asked(own)
    const as = await own.person('ana@example.com')
    const card = await own.send(path, { as })
    expect(card.body).toMatchObject({ masked: [['card'], ['env', '0', 'GITHUB_TOKEN']] })
    expect(JSON.stringify(card.body)).not.toContain('canary')
    const look = (keys: readonly string[], seen = digest) =>
      own.send(`${path}/reveal`, { as, body: { path: keys, digest: seen } })
    expect((await look(['card'])).body).toEqual({ path: ['card'], value: '4111-canary' })
    expect((await look(['env', '0', 'GITHUB_TOKEN'])).body).toMatchObject({ value: 'tok-canary' })
    const events = (await own.store.events(id)).flatMap(({ event }) =>
      'facts' in event && event.type === 'revealed' ? [[event.by, event.facts]] : [],
    )
    expect(events).toMatchObject([
      [{ person: { subject: 'ana@example.com' } }, { path: ['card'] }],
      [{ person: { subject: 'ana@example.com' } }, { path: ['env', '0', 'GITHUB_TOKEN'] }],
    ])
    // Nothing about the call changed by looking.
    expect((await own.store.get(id))?.revision).toBe(1)
    expect((await look(['amount'])).at('error.code')).toBe('invalid_value')
    expect((await look(['nothing'])).at('error.code')).toBe('invalid_value')
    expect((await look(['card'], '0'.repeat(64))).at('error.code')).toBe('call_changed')
    expect(await own.store.events(id)).toHaveLength(3)
  },
)

promise.each(
  ['CS-SEC-4'],
  'no other person is shown one',
  [
    ['a viewer', 'vera@example.com', ['viewer'], PAY],
    ['an admin who may not decide', 'adam@example.com', ['admin'], { tool: 'wire', args: ARGS }],
    [
      'whom the agent works for',
      'ana@example.com',
      ['approver'],
      { ...PAY, principal: 'ana@example.com' },
    ],
  ] as const,
  async (_, email, roles, call) => {
    const own = running()
    const { path, id, digest } = await asked(own, call)
    const as = await own.person(email, roles)
    const answer = await own.send(`${path}/reveal`, {
      as,
      body: { path: ['env', '0', 'GITHUB_TOKEN'], digest },
    })
    expect(answer.status).toBe(403)
    expect(JSON.stringify(answer.body)).not.toContain('canary')
    const events = await own.store.events(id)
    expect(events.map(({ event }) => event.type)).not.toContain('revealed')
  },
)

promise(['CS-SEC-4'], 'what cannot be recorded is not shown', async () => {
  const store = memoryStore()
  let broken = false
  const own = running({
    store: new Proxy(store, {
      get(target, name) {
        if (name === 'apply' && broken) return () => Promise.reject(new Error('disk full'))
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'function' ? member.bind(target) : member
      },
    }),
  })
  const { path, digest } = await asked(own)
  const as = await own.person('ana@example.com')
  broken = true
  const answer = await own.send(`${path}/reveal`, { as, body: { path: ['card'], digest } })
  expect(answer.status).toBe(500)
  expect(JSON.stringify(answer.body)).not.toContain('canary')
})

test('looking at many secrets in a minute is stopped', async () => {
  const own = running()
  const { path, id, digest } = await asked(own)
  const as = await own.person('ana@example.com')
  const look = () => own.send(`${path}/reveal`, { as, body: { path: ['card'], digest } })
  for (let count = 0; count < 30; count += 1) expect((await look()).status).toBe(200)
  expect((await look()).at('error.code')).toBe('too_many_requests')
  expect(await own.store.events(id)).toHaveLength(31)
})

promise(['CS-SEC-5'], 'an edit writes over a secret unseen, and keeps the others', async () => {
  const own = running({
    policy: 'version: 1\ntools: { deploy: { approval: { approvers: ["*"], edit: true } } }\n',
  })
  const args = {
    password: 'old-canary',
    token: 17_000_001,
    run: 'psql postgres://bo:url-canary@db/app -c "select 1"',
    list: ['--token list-canary', 'plain'],
  }
  const bot = await own.agent('bot')
  const call = await own.send('/v1/calls', { as: bot, body: { tool: 'deploy', args } })
  const path = `/v1/approvals/${call.at('id')}`
  const as = await own.person('ana@example.com')
  const shown = JSON.parse((await own.send(path, { as })).at('arguments'))
  expect(shown).toEqual({
    password: '[secret]',
    token: '[secret]',
    run: 'psql postgres://bo:[secret]@db/app -c "select 1"',
    list: ['--token [secret]', 'plain'],
  })
  const decide = (edited: object) =>
    own.send(`${path}/decisions`, {
      as,
      body: { verdict: 'approve', digest: call.at('digest'), edit: { arguments: edited } },
    })
  // A mask where nothing was hidden would run as text.
  for (const wrong of [
    { ...shown, list: ['plain', '[secret]'] },
    { ...shown, list: ['--token [secret]'] },
    { ...shown, extra: '[secret]' },
    { ...shown, run: 'psql [secret] [secret]' },
  ]) {
    expect((await decide(wrong)).at('error.code')).toBe('invalid_value')
  }
  const edited = { ...shown, password: 'new-canary', run: shown.run.replace('1', '2') }
  expect((await decide(edited)).status).toBe(200)
  const claimed = await own.send(`${path}/claim`, { as: bot, body: { digest: call.at('digest') } })
  expect(claimed.body).toMatchObject({
    args: {
      password: 'new-canary',
      token: 17_000_001,
      run: 'psql postgres://bo:url-canary@db/app -c "select 2"',
      list: args.list,
    },
  })
  expect(claimed.at('edited.modelMessage')).toMatch(
    /password is now "\[secret\]", run is now "psql post/,
  )
  expect(JSON.stringify((claimed.body as { edited: object }).edited)).not.toContain('canary')
})

promise(
  ['CS-SEC-1'],
  'what only the asking gate calls a secret stays one on the server',
  async () => {
    const store = memoryStore()
    const deploy = `deploy:
    approval:
      message_template: "To {{tool_args.place}}: {{tool_args}}?"
      condition: { args_match: { place: { ne: x } } }
      approvers: ["*"]
      edit: true`
    const own = running({ store, policy: `version: 1\ntools:\n  ${deploy}\n` })
    const gate = createGate({
      store,
      policy: policyOf(`tools:\n  ${deploy}\n    secrets: [place, more]`),
      agent: 'code',
    })
    const args = { amount: 1, place: 'canary-place', more: ['canary-more'] }
    const checked = await gate.check({ tool: 'deploy', args })
    if (checked.status !== 'pending') throw new Error(checked.status)
    const path = `/v1/approvals/${checked.approval.id}`
    const as = await own.person('ana@example.com')
    const card = await own.send(path, { as })
    expect(card.body).toMatchObject({ why: [{ values: [{ path: 'place', saw: '"[secret]"' }] }] })
    const shown = JSON.parse(card.at('arguments'))
    expect(shown).toEqual({ amount: 1, place: '[secret]', more: '[secret]' })
    const edited = await own.send(`${path}/decisions`, {
      as,
      body: {
        verdict: 'approve',
        digest: card.at('digest'),
        edit: { arguments: { ...shown, amount: 2, place: 'canary-typed' } },
      },
    })
    const now = await own.send(path, { as })
    expect(JSON.parse(now.at('arguments'))).toEqual({ ...shown, amount: 2 })
    expect(edited.at('message')).toMatch(/^To \[secret\]: /)
    expect(now.at('message')).toBe(edited.at('message'))
    expect(JSON.stringify([card.body, edited.body, now.body])).not.toContain('canary')
  },
)

promise(['CS-SEC-6'], 'a validator that quotes what it checked tells no secret', async () => {
  const own = running({ store: memoryStore() })
  let isWrong = true
  const gate = createGate({
    store: own.store,
    policy: policyOf('tools: { deploy: { approval: { approvers: ["*"], edit: true } } }'),
    validate: (_, args) =>
      isWrong ? { ok: false, problem: `cannot use ${JSON.stringify(args)}` } : { ok: true },
  })
  const definition = { inputSchema: { properties: { pin: { writeOnly: true } } } }
  const call = { tool: 'deploy', args: { pin: 'canary-pin', password: 'canary-word', n: 1 } }
  const refused = await gate.check(call, { definition })
  isWrong = false
  const asked = await gate.check(call, { definition })
  if (asked.status !== 'pending' || refused.status !== 'blocked') throw new Error(asked.status)
  expect(refused.modelMessage).toContain('"n":1')
  isWrong = true
  gate[internals].tool('deploy', definition)
  const { id, digest } = asked.approval
  const shown = (await gate.approvals.get(id))?.args
  const by = person('ana')
  const edit = { by, verdict: 'approve', seen: digest, args: { ...shown, n: 2 } } as const
  const problem = await gate.approvals.decide(id, edit).catch((error: Error) => error.message)
  expect(problem).toContain('"n":2')
  expect(`${refused.modelMessage} ${String(problem)}`).not.toContain('canary')
})
