import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import type { Call } from '../../base/call.ts'
import { ANNOTATED, allowAll, annotated, custom, denyAll } from '../../policy/evaluate/mode.ts'
import { memoryStore } from '../../store/memory/index.ts'
import type { CallerIdentity } from '../identity.ts'
import { createContext } from '../options.ts'
import { createQuick } from './fast-path.ts'
import { judgeCall } from './judge.ts'

const policy = policyOf(`
  tools:
    pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
    wire: { approval: true }
    read: { risk: L0 }
  mcp_servers:
    - { alias: files, command: npx, approval: false }
  remote_agents:
    - { alias: bank, url: "https://bank.example", approval: { condition: { args_match: { n: 1 } } } }
  local_agents:
    - { alias: helper, approval: { condition: { args_match: { parent.input.deep: { gt: 3 } } } } }
  governance:
    - { id: risky, match: { tool: read, risk: { gte: L3 } }, condition: { args_match: { sure: false } }, approval: true }
    - { id: mallory, match: { agent: "mal*" }, deny: not you }
`)

const STANDING: CallerIdentity = {
  door: 'in-process',
  agent: undefined,
  principal: undefined,
  requester: undefined,
  run: undefined,
  mode: ANNOTATED,
}

const leaf = fc.oneof(
  fc.constantFrom(0, 1, 3, 50, 99, 100, 101, -0, 0.5, Number.NaN, 2 ** 53),
  fc.constantFrom('', 'USD', '101', true, false, null),
)
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('deep', 'n'), leaf),
)
const args = fc.dictionary(fc.constantFrom('amount', 'n', 'sure', 'deep', 'constructor'), value)
const strange = fc.constantFrom<unknown>(undefined, null, 5, '', 'x', [], {})

/** Mostly as it should be, and now and then as a careless sender would. */
function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: strange })
}

const call = fc.record(
  {
    tool: mostly(fc.constantFrom('pay', 'wire', 'read', 'helper', 'other', 'constructor')),
    args: mostly(args),
    kind: mostly(fc.constantFrom('tool', 'tool', undefined, 'agent', 'skill', 'bogus')),
    server: mostly(fc.constantFrom(undefined, undefined, 'files', 'bank', 'unknown', '')),
    agent: mostly(fc.constantFrom('biller', 'mallory', undefined, { alias: 'mallory' })),
    risk: mostly(fc.constantFrom('L0', 'L3', 'L5', undefined)),
    principal: mostly(fc.constantFrom('uma', undefined)),
    run: mostly(fc.constantFrom('chat-1', 'chat-2', undefined)),
    key: mostly(fc.constantFrom('k', undefined)),
    parent: mostly(fc.constantFrom(undefined, { input: { deep: 5 } }, { input: { deep: 1 } })),
    context: mostly(fc.constantFrom({ says: 'hi' }, undefined)),
    extra: fc.constantFrom(undefined, undefined, undefined, 'approved'),
  },
  { requiredKeys: ['tool', 'args'] },
)

const caller = fc.record({
  door: fc.constant('in-process'),
  requester: fc.constant(undefined),
  agent: fc.constantFrom(undefined, { alias: 'biller' }, { alias: 'mallory' }),
  principal: fc.constantFrom(undefined, { subject: 'uma' }),
  run: fc.constantFrom(undefined, 'chat-1'),
  mode: fc.constantFrom(annotated(), allowAll(), denyAll()),
})

const core = createContext({ policy, store: memoryStore() })
// Before the locks are known, and what was asked about, every call goes through the full pipeline.
beforeAll(async () => {
  for (const kind of ['annotated', 'allowAll', 'denyAll'] as const) {
    await core.asked.byOthers(core.policy(), kind, { tool: 'read' })
  }
})

test('the fast path allows only what the full pipeline allows', async () => {
  let allowed = 0
  await fc.assert(
    fc.asyncProperty(call, caller, async (made, who) => {
      const { extra, ...rest } = made
      const given = { ...rest, ...(extra ? { [extra]: true } : {}) } as unknown as Call
      if (!createQuick(core, who).allows(given)) return
      allowed += 1
      const judged = await judgeCall(core, who, {
        call: given,
        key: undefined,
        definition: undefined,
      })
      expect(judged).toMatchObject({ verdict: { verdict: 'allow' } })
    }),
    { numRuns: 40_000 },
  )
  expect(allowed).toBeGreaterThan(500)
}, 120_000)

test('ordinary calls take the fast path', () => {
  const quick = createQuick(core, STANDING)
  const ordinary: Call[] = [
    { tool: 'read', args: {} },
    { tool: 'pay', args: { amount: 100, list: [1, { deep: 2 }], sure: true } },
    { tool: 'list', server: 'files', args: { path: '.', sure: true } },
    { tool: 'helper', kind: 'agent', args: { sure: true }, parent: { input: { deep: 1 } } },
    {
      tool: 'read',
      args: { sure: true },
      agent: 'biller',
      run: 'r',
      key: 'k',
      risk: 'L1',
      context: { says: 'hi' },
    },
  ]
  for (const each of ordinary) expect([each.tool, quick.allows(each)]).toEqual([each.tool, true])
})

test('what has to wait or to be asked goes through the full pipeline', () => {
  const free: Call = { tool: 'other', args: { sure: true } }
  expect(createQuick(core, STANDING).allows(free)).toBe(true)
  expect(createQuick(core, { ...STANDING, mode: custom(() => false) }).allows(free)).toBe(false)
  const locked = createContext({ policy, store: memoryStore(), authorize: () => undefined })
  expect(createQuick(locked, STANDING).allows(free)).toBe(false)
  const validated = createContext({ policy, store: memoryStore(), validate: () => ({ ok: true }) })
  expect(createQuick(validated, STANDING).allowsOwn(free)).toBe(false)
})
