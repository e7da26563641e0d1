import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

const LOOSER = POLICY.replace('note: { approval: true }', 'note: { approval: false }')
const NOTE = { tool: 'note', args: {} }

async function changeable() {
  let text = POLICY
  const own = running({ onDisk: () => text })
  return {
    ...own,
    write: (next: string) => {
      text = next
    },
    admin: await own.person('root@example.com', ['admin']),
    bot: await own.agent('bot'),
  }
}

promise(['CS-SERVE-1'], 'what is on disk is not in force before it is applied', async () => {
  const { send, write, admin, bot, store } = await changeable()
  const before = await send('/v1/policy/draft', { as: admin })
  expect(before.body).toMatchObject({ changed: false })
  write(LOOSER)
  expect((await send('/v1/calls', { as: bot, body: NOTE })).at('status')).toBe('pending')
  const draft = await send('/v1/policy/draft', { as: admin })
  expect(draft.body).toMatchObject({
    changed: true,
    added: [{ name: 'note', asks: 'allow' }],
    removed: [{ name: 'note', asks: 'confirm' }],
  })
  const etag = (await send('/v1/policy', { as: bot })).headers.get('etag')
  const applied = await send('/v1/policy/apply', { as: admin, body: { name: draft.at('name') } })
  expect(applied.body).toMatchObject({ changed: false, active: draft.at('name') })
  expect((await send('/v1/calls', { as: bot, body: NOTE })).at('status')).toBe('allowed')
  const now = await send('/v1/policy', { as: bot })
  expect(now.headers.get('etag')).not.toBe(etag)
  expect(now.at('files.0.text')).toContain('"note":{"approval":false}')
  expect((await send('/v1/policy', { as: admin })).at('files.0.text')).toBe(LOOSER)
  // Who did it is written down.
  expect((await store.records.get('policy', 'applied'))?.value).toMatchObject({
    name: draft.at('name'),
    by: { issuer: 'local', subject: 'root@example.com' },
  })
})

promise(['CS-SERVE-1'], 'what changed after somebody looked is not applied', async () => {
  const { send, write, admin, bot } = await changeable()
  write(POLICY.replace('L3', 'L2'))
  const name = (await send('/v1/policy/draft', { as: admin })).at('name')
  write(LOOSER)
  const applied = await send('/v1/policy/apply', { as: admin, body: { name } })
  expect(applied.status).toBe(409)
  expect(applied.at('error.code')).toBe('policy_changed')
  expect((await send('/v1/calls', { as: bot, body: NOTE })).at('status')).toBe('pending')
})

promise(['CS-SERVE-1'], 'a broken file changes nothing, and says where it is broken', async () => {
  const { send, write, admin, bot } = await changeable()
  write(`${POLICY}toolz: {}\n`)
  const draft = await send('/v1/policy/draft', { as: admin })
  expect(draft.at('problem.message')).toContain('toolz')
  const name = draft.at('active')
  expect((await send('/v1/policy/apply', { as: admin, body: { name } })).status).toBe(422)
  expect((await send('/v1/calls', { as: bot, body: NOTE })).at('status')).toBe('pending')
})

promise.each(
  ['CS-SERVE-1'],
  'a draft shows what rules rest on',
  [
    ['a rating', ['L3', 'L2'], { name: 'pay', details: expect.arrayContaining(['Rated L2']) }],
    [
      'the people of a group',
      ['finn@example.com', 'eve@example.com'],
      { source: 'people', name: 'finance', words: 'fay@example.com, eve@example.com' },
    ],
    [
      'the way to a server',
      ['bank.example.com', 'evil.example.com'],
      { name: 'bank', words: 'is reached in another way: url' },
    ],
    [
      'a credential, by its name alone',
      ['Bearer one', 'Bearer two'],
      { name: 'bank', words: 'is reached in another way: headers' },
    ],
  ] as const,
  async (_, [from, to], row) => {
    const base = `${POLICY}mcp_servers:
  - { alias: bank, url: "https://bank.example.com/mcp", headers: { authorization: Bearer one } }
`
    let text = base
    const { send, person } = running({ onDisk: () => text, policy: base })
    const admin = await person('root@example.com', ['admin'])
    expect((await send('/v1/policy/draft', { as: admin })).body).toMatchObject({ changed: false })
    text = base.replace(from, to)
    const { body } = await send('/v1/policy/draft', { as: admin })
    expect(body).toMatchObject({ changed: true, added: [row] })
    expect(JSON.stringify(body)).not.toContain('Bearer')
  },
)

promise(['CS-SERVE-1'], 'a policy in code has no draft, and nothing to apply', async () => {
  const { send, person } = running({ inCode: true })
  const admin = await person('root@example.com', ['admin'])
  const draft = await send('/v1/policy/draft', { as: admin })
  expect([draft.status, draft.body]).toEqual([200, null])
  const name = '0'.repeat(64)
  const applied = await send('/v1/policy/apply', { as: admin, body: { name } })
  expect([applied.status, applied.at('error.code')]).toEqual([404, 'not_found'])
})
