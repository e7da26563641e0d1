import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

/* What an agent says over HTTP that its code declares is the agent's word: it can only tighten. */

const STRICT = `version: 1
defaults: { undeclared: confirm }
tools: { pay: { approval: true } }
`

const LOOSE: [string, unknown][] = [
  ['a release', { approval: false }],
  ['a harmless risk', { risk: 'L0' }],
  ['both', { approval: false, risk: 'L0' }],
  ['a condition that never holds', { approval: { condition: { args_match: { n: 9 } } } }],
  ['two releases', [{ approval: false }, { approval: false }]],
  ['nothing', {}],
  ['an empty list', []],
]

promise.each(
  ['CS-SDK-5', 'CS-SDK-12'],
  'an agent’s word opens nothing on the server',
  LOOSE,
  async (_title, declared) => {
    const { send, agent } = running({ policy: STRICT })
    const as = await agent('bot')
    for (const tool of ['send', 'pay']) {
      const body = { tool, args: { n: 1 }, run: 'r', key: tool, declared }
      expect((await send('/v1/calls', { as, body })).at('status')).toBe('pending')
    }
  },
)

promise(
  ['CS-SDK-12'],
  'of several declarations in one call the strictest counts, and only for that call',
  async () => {
    const { send, agent } = running()
    const [bot, other] = [await agent('bot'), await agent('other')]
    const ask = async (as: typeof bot, key: string, declared?: unknown) => {
      const body = { tool: 'send', args: {}, run: 'r', key, ...(declared ? { declared } : {}) }
      return (await send('/v1/calls', { as, body })).at('status')
    }
    expect(await ask(bot, '1', [{ approval: false }, { approval: true }])).toBe('pending')
    expect(await ask(bot, '2', [{ risk: 'L4' }, { approval: false }])).toBe('pending')
    expect(await ask(other, '3', { approval: false })).toBe('allowed')
    expect(await ask(bot, '4')).toBe('allowed')
    // What was asked about stays asked, whatever the agent's code says the next time.
    expect(await ask(bot, '1', { approval: false })).toBe('pending')
    expect(await ask(bot, '1', {})).toBe('pending')
  },
)

test.each([
  ['a word nobody knows', { aproval: true }],
  ['a text', 'true'],
  ['a list of texts', ['true']],
  ['too many', Array.from({ length: 101 }, () => ({ approval: true }))],
])('a declaration that is none refuses the call: %s', async (_title, declared) => {
  const { send, agent } = running()
  const as = await agent('bot')
  const answer = await send('/v1/calls', { as, body: { tool: 'send', args: {}, declared } })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
})

promise(
  ['CS-SDK-5'],
  'what an agent’s code declares secret is masked where people look',
  async () => {
    const { send, agent, person } = running()
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const declared = { approval: true, secrets: ['pin'] }
    const body = { tool: 'send', args: { pin: '918273', to: 'Lena' }, declared }
    const id = (await send('/v1/calls', { as: bot, body })).at('id')
    const card = await send(`/v1/approvals/${id}`, { as: ana })
    expect(card.status).toBe(200)
    expect(JSON.stringify(card.body)).toContain('Lena')
    expect(JSON.stringify(card.body)).not.toContain('918273')
  },
)

const pattern = (text: string) => ({
  approval: { condition: { args_match: { a: { pattern: text } } } },
})

test.each([
  ['one pattern', pattern('x{1000}'.repeat(280))],
  ['many patterns', Array.from({ length: 40 }, (_, n) => pattern(`(a${n}?){300}`))],
  ['classes of Unicode', Array.from({ length: 40 }, (_, n) => pattern(`[^\\pL${n}]`))],
])('B12-05: patterns too large to be read at once refuse the call: %s', async (_, declared) => {
  const { send, agent } = running({ policy: STRICT })
  const as = await agent('bot')
  const answer = await send('/v1/calls', { as, body: { tool: 'pay', args: {}, declared } })
  expect(answer.at('error.code')).toBe('policy_invalid')
  expect(answer.at('error.message')).toContain('too large')
})

test('B12-05: an agent’s template that repeats a long argument is cut', async () => {
  const { send, agent, store } = running({ policy: STRICT })
  const as = await agent('bot')
  const declared = { approval: { message_template: '{{tool_args.a}}'.repeat(900) } }
  const body = { tool: 'pay', args: { a: 'x'.repeat(50_000) }, declared }
  const answer = await send('/v1/calls', { as, body })
  const content = await store.content(answer.at('id'))
  expect(JSON.stringify(content).length).toBeLessThan(400_000)
})

const DEMANDING = `version: 1
defaults:
  min_assurance: passkey
  decide_by: 5m
  use_by: 1m
  reason: required
  edit: false
governance:
  - { id: all, match: { tool: "*" }, approval: { approvers: ["*"] } }
`

promise(
  ['CS-SDK-5', 'CS-POLICY-14'],
  'B4-05: where only governance asks, an agent’s terms loosen none of the owner’s defaults',
  async () => {
    const { send, agent, store } = running({ policy: DEMANDING })
    const as = await agent('bot')
    const loose = { min_assurance: 'chat', decide_by: '30d', use_by: '30d', reason: 'optional' }
    const terms = async (key: string, declared?: unknown) => {
      const body = { tool: 'send', args: {}, run: 'r', key, ...(declared ? { declared } : {}) }
      const id = (await send('/v1/calls', { as, body })).at('id')
      return (await store.get(id))?.terms
    }
    const plain = await terms('1')
    expect(plain).toMatchObject({ minAssurance: 'passkey', decideBy: 300_000, edit: false })
    expect(await terms('2', { approval: { ...loose, edit: true } })).toEqual(plain)
    expect(await terms('3', [{ approval: loose }, { approval: { edit: ['to'] } }])).toEqual(plain)
    expect(await terms('4', { risk: 'L1', approval: loose })).toEqual(plain)
    // Stricter words still count.
    expect(await terms('5', { approval: { decide_by: '1m' } })).toEqual({
      ...plain,
      decideBy: 60_000,
    })
  },
)

promise(
  ['CS-SDK-5'],
  'where a file asks, what an agent does not say changes none of the file’s terms',
  async () => {
    const rule = 'approval: { approvers: ["*"], decide_by: 2h, use_by: 30m, edit: true }'
    const policy = DEMANDING.replace('governance:', `tools: { send: { ${rule} } }\ngovernance:`)
    const { send, agent, store } = running({ policy })
    const as = await agent('bot')
    const terms = async (key: string, declared?: unknown) => {
      const body = { tool: 'send', args: {}, run: 'r', key, ...(declared ? { declared } : {}) }
      const id = (await send('/v1/calls', { as, body })).at('id')
      return (await store.get(id))?.terms
    }
    const plain = await terms('1')
    expect(plain).toMatchObject({ decideBy: 7_200_000, useBy: 1_800_000, edit: true })
    expect(await terms('2', { approval: true })).toEqual(plain)
    expect(await terms('3', { approval: { use_by: '1m' } })).toEqual({ ...plain, useBy: 60_000 })
  },
)
