import { afterEach, expect, expectTypeOf, onTestFinished, vi } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import * as modes from '../../src/policy/evaluate/mode.ts'
import {
  allowAll,
  annotated,
  custom,
  denyAll,
  type Mode,
  observe,
} from '../../src/policy/evaluate/mode.ts'
import type { Verdict } from '../../src/policy/evaluate/verdict.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { askedOf, call, policyFrom, policyOf, under, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

afterEach(() => vi.unstubAllEnvs())

const policy = policyOf(`
  tools:
    delete_all: { approval: { message_template: "This permanently deletes customer records." } }
    get_weather: { description: Weather for a city }
    pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
`)
const deleteAll = call('delete_all')
const getWeather = call('get_weather')

promise(['AT-1', 'AT-19'], 'modes stand side by side and leave the policy as it is', async () => {
  const before = evaluate(policy, deleteAll)
  const all = [denyAll(), allowAll(), annotated(), custom(() => 'review'), custom(() => false)]
  const verdicts = await Promise.all(
    all.map(async (mode) => (await under(mode, deleteAll, policy)).verdict),
  )
  expect(verdicts).toEqual(['deny', 'allow', 'confirm', 'review', 'allow'])
  expect(evaluate(policy, deleteAll)).toEqual(before)
})

promise(['AT-2'], 'there are the four modes, and one that only looks', () => {
  type Four = 'annotated' | 'allowAll' | 'denyAll' | 'custom'
  expectTypeOf<Mode['kind']>().toEqualTypeOf<Four | 'observe'>()
  const makers = Object.values(modes).filter((value) => typeof value === 'function')
  expect(new Set(makers)).toEqual(new Set([annotated, allowAll, denyAll, custom, observe]))
})

promise(['AT-3'], 'every call is answered anew, with one of four words', () => {
  const amounts = [1, 101, 100, 5_000]
  const verdicts = amounts.map((amount) => verdictOf(policy, call('pay', { amount })))
  expect(verdicts).toEqual(['allow', 'confirm', 'allow', 'confirm'])
  expectTypeOf<Verdict['verdict']>().toEqualTypeOf<'allow' | 'confirm' | 'review' | 'deny'>()
})

promise(['AT-4', 'AT-5'], 'without a mode, declarations count', async () => {
  for (const asked of [deleteAll, getWeather, call('nowhere_declared')]) {
    expect(evaluate(policy, asked)).toEqual(await under(annotated(), asked, policy))
  }
  expect(verdictOf(policy, deleteAll)).toBe('confirm')
  expect(verdictOf(policy, getWeather)).toBe('allow')
  expect(verdictOf(policy, call('nowhere_declared'))).toBe('allow')
})

promise(['AT-5', 'AT-6'], 'a declaration in code is asked about, in its own words', () => {
  const message = 'This permanently deletes customer records.'
  const inCode = policyFrom({ code: { delete_all: { approval: { message_template: message } } } })
  expect(askedOf(inCode, deleteAll).message).toBe(message)
  expect(askedOf(policy, deleteAll).message).toBe(message)
  expect(verdictOf(inCode, getWeather)).toBe('allow')
})

promise(['AT-8'], 'allowAll runs everything the owner would ask about or deny', async () => {
  const strict = policyFrom({
    owner: `
      defaults: { undeclared: deny, gateway: deny }
      tools: { delete_all: { approval: true, risk: L5 } }
      mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [] }]
    `,
    code: { pay: { approval: true } },
    switches: { api: true },
  })
  const calls = [
    deleteAll,
    call('pay'),
    call('other'),
    call('x', {}, { server: 'api' }),
    call('x', {}, { server: 'y' }),
  ]
  for (const asked of calls) {
    expect((await under(annotated(), asked, strict)).verdict).not.toBe('allow')
    expect((await under(allowAll(), asked, strict)).verdict).toBe('allow')
  }
})

const REFUSED = expect.objectContaining({ code: 'mode_refused' })

function openGate(mode?: unknown) {
  const store = memoryStore()
  onTestFinished(() => store.close())
  return createGate({ policy, store, ...(mode === undefined ? {} : { mode: mode as Mode }) })
}

promise(['AT-9'], 'allowAll refuses production', () => {
  const before = allowAll()
  vi.stubEnv('NODE_ENV', 'production')
  expect(() => allowAll()).toThrow(REFUSED)
  // One that was made before the environment was known is refused where it would count.
  expect(() => openGate(before)).toThrow(REFUSED)
  expect(() => openGate().with({ mode: before })).toThrow(REFUSED)
  expect(() => openGate(denyAll()).with({ mode: before })).toThrow(REFUSED)
})

const FORGED: [string, () => unknown][] = [
  ['written by hand', () => ({ kind: 'allowAll' })],
  ['written by hand, with a function', () => ({ kind: 'custom', decide: () => false })],
  ['a copy', () => ({ ...allowAll() })],
  ['a clone', () => structuredClone(allowAll())],
  ['an heir', () => Object.create(allowAll())],
  ['a stand-in', () => new Proxy(allowAll(), {})],
  ['from JSON', () => JSON.parse('{"kind":"allowAll"}')],
  ['a word', () => 'allowAll'],
  ['the function itself', () => allowAll],
  ['nothing at all', () => null],
]

promise.each(['AT-2'], 'a mode that no function here made is refused', FORGED, (_title, forge) => {
  expect(() => openGate(forge())).toThrow(REFUSED)
  expect(() => openGate().with({ mode: forge() as Mode })).toThrow(REFUSED)
})

promise(['AT-2'], 'a mode that was made cannot be turned into another', async () => {
  const preview = denyAll()
  expect(() => Object.assign(preview, { kind: 'allowAll' })).toThrow(TypeError)
  const ran = vi.fn()
  const call = { tool: 'delete_all', args: {} }
  expect(await openGate(preview).run(call, ran)).toMatchObject({
    status: 'blocked',
    code: 'denied_by_mode',
  })
  expect(() => Object.assign(annotated(), { kind: 'allowAll' })).toThrow(TypeError)
  expect(() =>
    Object.assign(
      custom(() => true),
      { decide: () => false },
    ),
  ).toThrow(TypeError)
  // @ts-expect-error It does not compile either.
  const handMade: Mode = { kind: 'allowAll' }
  expect(() => openGate(handMade)).toThrow(REFUSED)
  expect(ran).not.toHaveBeenCalled()
})

promise(['AT-10', 'AT-13'], 'denyAll denies everything', async () => {
  const open = policyFrom({
    owner: `
      tools: { delete_all: { approval: false } }
      mcp_servers: [{ alias: api, server_ref: x, approval: false }]
    `,
    code: { pay: { approval: false } },
    switches: { 'api/x': false },
    governance: ['governance: [{ id: ask, approval: { approvers: ["*"] } }]'],
  })
  const calls = [
    deleteAll,
    call('pay'),
    getWeather,
    call('x', {}, { server: 'api' }),
    call('a', {}, { kind: 'agent' }),
  ]
  for (const asked of calls) {
    const { verdict, reasons } = await under(denyAll(), asked, open)
    expect(verdict).toBe('deny')
    expect(reasons[0]).toEqual({ source: 'mode', rule: 'mode.denyAll', answer: 'yes' })
  }
})

promise(['AT-11'], 'the model reads the words it has always read', async () => {
  const { message } = await under(denyAll(), deleteAll, policy)
  expect(message).toBe('Tool execution denied by policy')
  expect(modes.DENIED_BY_MODE).toEqual({ status: 'cancelled', message })
  expect(JSON.stringify(modes.DENIED_BY_MODE)).toBe(
    '{"status":"cancelled","message":"Tool execution denied by policy"}',
  )
})

promise(['AT-12', 'AT-25'], 'what is denied or allowed leaves nothing to answer', async () => {
  const keys = ['message', 'missing', 'reasons', 'verdict']
  for (const mode of [denyAll(), custom(() => 'deny' as const), allowAll(), custom(() => false)]) {
    expect(Object.keys(await under(mode, deleteAll, policy)).sort()).toEqual(keys)
  }
  expect(await under(allowAll(), deleteAll, policy)).toEqual({
    verdict: 'allow',
    message: '',
    missing: [],
    reasons: [],
  })
  expect(Object.keys(await under(annotated(), deleteAll, policy))).toContain('requirements')
  expect(Object.keys(evaluate(policy, getWeather)).sort()).toEqual(keys)
})

promise(['AT-13'], 'denyAll outranks every question, and says so first', async () => {
  const asks = policyOf(
    'tools: { pay: { approval: true } }',
    'governance: [{ id: ask, approval: true }]',
  )
  expect(await under(denyAll(), call('pay'), asks)).toMatchObject({
    verdict: 'deny',
    reasons: [{ rule: 'mode.denyAll' }, { rule: 'governance.ask' }],
  })
})

promise(['CS-MODE-1', 'AT-8'], 'no mode loosens governance', async () => {
  const governed = policyOf(
    'tools: { pay: { approval: false } }',
    `
      governance:
        - { id: ask, match: { tool: pay }, approval: { approvers: ["*"] } }
        - { id: never, match: { tool: delete_all }, deny: "Not by agents" }
    `,
  )
  const loose = [
    allowAll(),
    custom(() => false),
    custom(() => 'allow' as const),
    custom(() => 'confirm' as const),
  ]
  for (const mode of loose) {
    expect((await under(mode, call('pay'), governed)).verdict).toBe('review')
    expect(await under(mode, deleteAll, governed)).toMatchObject({
      verdict: 'deny',
      message: 'Not by agents',
    })
  }
})
