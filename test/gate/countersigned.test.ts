import { describe, expect, test } from 'vitest'
import { createTestGate, type Gate } from '../../src/gate/gate.ts'
import type { Outcome } from '../../src/gate/outcome.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import type { ToolFunction } from '../../src/gate/tool.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, bo, nextPending, openStore, recordingTool, runApproved, STORES } from './gates.ts'

const TWO = 'approval: { quorum: [{ group: finance, n: 2 }] }'
const PEOPLE = 'people: { groups: { finance: [ana@example.com, bo@example.com, cy@example.com] } }'
const OUTER = `
  ${PEOPLE}
  tools: { pay: { ${TWO} } }
`
/** The server's own gate asks for the same, in a file of its own. */
const INNER = `
  ${PEOPLE}
  mcp_servers: [{ alias: bank, command: x, ${TWO} }]
`

interface Layers {
  readonly store: Store
  readonly outer: Gate
  readonly inner: Gate
  readonly absent: string[]
  readonly tool: ReturnType<typeof recordingTool>
}

async function layers(name: (typeof STORES)[number], innerPolicy = INNER): Promise<Layers> {
  const store = await openStore(name)
  const signer = await openSigner({ store, keys: memoryKeys() })
  const absent: string[] = []
  const shared = { store, agent: 'biller', principal: 'uma', sweepEvery: 10 }
  const outer = createTestGate({
    ...shared,
    policy: policyOf(OUTER),
    run: 'chat',
    countersign: { signer },
  })
  const countersign = { onAbsent: (problem: string) => void absent.push(problem) }
  const inner = createTestGate({
    ...shared,
    policy: policyOf(innerPolicy),
    door: 'mcp',
    countersign,
  })
  return { store, outer, inner, absent, tool: recordingTool() }
}

/** The outer tool calls on to the inner gate, as a chat that uses an MCP server does. */
function callsOn(
  { inner, tool }: Layers,
  change: (token: string) => string = (token) => token,
): ToolFunction {
  return async (args, { countersign }) => {
    const token = await countersign?.({ server: 'bank', tool: 'pay', args })
    const options = token === undefined ? {} : { countersignature: change(token) }
    return inner.run({ server: 'bank', tool: 'pay', args }, tool, options)
  }
}

describe.each(STORES)('two gates on one %s store', (name) => {
  promise(['SP-20', 'SP-32'], `a call is asked about once (${name})`, async () => {
    const all = await layers(name)
    const running = all.outer.run({ tool: 'pay', args: { amount: 5 } }, callsOn(all))
    const outcome = await runApproved(all.outer, running, [ana, bo])
    expect(outcome).toMatchObject({ status: 'succeeded', result: { status: 'succeeded' } })
    expect(all.tool.starts.map(({ args }) => args)).toEqual([{ amount: 5 }])
    expect((await all.store.list({})).approvals).toHaveLength(1)
    expect(all.absent).toEqual([])
    const [asked] = (await all.store.list({})).approvals
    const events = await all.store.events(asked?.id ?? '')
    const claimed = events.find(({ event }) => event.type === 'claimed')?.event
    expect(claimed).toMatchObject({ facts: { countersignature: expect.any(String) } })
  })

  test('without a countersignature the inner gate asks', async () => {
    const all = await layers(name)
    const inner = all.inner.run({ server: 'bank', tool: 'pay', args: { amount: 5 } }, all.tool)
    expect(await runApproved(all.inner, inner, [ana, bo])).toMatchObject({ status: 'succeeded' })
  })

  promise.each(
    ['CS-PROOF-1', 'CS-PROOF-6'],
    `what does not speak for the inner call is asked about (${name})`,
    [
      ['a forged token', INNER, (token: string) => `${token.slice(0, -4)}AAAA`, 'bad_signature'],
      ['no token at all', INNER, () => 'please', 'malformed'],
      [
        'an inner policy that wants more people',
        INNER.replace('n: 2', 'n: 3'),
        (token: string) => token,
        'uncovered',
      ],
    ] as [string, string, (token: string) => string, string][],
    async (_, policy, change, problem) => {
      const all = await layers(name, policy)
      const running = all.outer.run({ tool: 'pay', args: { amount: 5 } }, callsOn(all, change))
      const first = await nextPending(all.outer)
      for (const by of [ana, bo]) {
        const { id, digest } = first
        await all.outer.approvals.decide(id, { by, verdict: 'approve', seen: digest })
      }
      const second = await nextPending(all.inner, [first.id])
      expect(all.absent).toEqual([problem])
      expect(all.tool.starts).toEqual([])
      const { id, digest } = second
      await all.inner.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
      expect(await running).toMatchObject({ result: { status: 'blocked', code: 'denied' } })
    },
  )

  promise(['CS-PROOF-2'], `a countersignature runs one call, once (${name})`, async () => {
    const all = await layers(name)
    const tokens: string[] = []
    const running = all.outer.run({ tool: 'pay', args: { amount: 5 } }, async (args, context) => {
      tokens.push((await context.countersign?.({ server: 'bank', args })) ?? '')
      await expect(context.countersign?.({ server: 'bank', args })).rejects.toThrow('one hop only')
    })
    await runApproved(all.outer, running, [ana, bo])
    const call = { server: 'bank', tool: 'pay', args: { amount: 5 } }
    const stop = new AbortController()
    const tries = Array.from({ length: 5 }, () =>
      all.inner.run(call, all.tool, {
        countersignature: tokens[0] ?? '',
        signal: stop.signal,
      }),
    )
    const first = await Promise.race(tries)
    expect(first.status).toBe('succeeded')
    await nextPending(all.inner)
    stop.abort()
    const outcomes: Outcome[] = await Promise.all(tries)
    expect(outcomes.filter(({ status }) => status === 'succeeded')).toHaveLength(1)
    expect(all.tool.starts).toHaveLength(1)
    expect(all.absent).toEqual(['spent', 'spent', 'spent', 'spent'])
  })

  test('the inner gate’s own denial stands', async () => {
    const deny = `${INNER}  governance: [{ id: no, match: { server: bank }, deny: Closed }]\n`
    const all = await layers(name, deny)
    const running = all.outer.run({ tool: 'pay', args: { amount: 5 } }, callsOn(all))
    const outcome = await runApproved(all.outer, running, [ana, bo])
    expect(outcome).toMatchObject({
      status: 'succeeded',
      result: { status: 'blocked', code: 'denied_by_policy' },
    })
    expect(all.tool.starts).toEqual([])
  })

  test('a gate without a key offers none, and a call nobody was asked about has none', async () => {
    const all = await layers(name)
    const seen: unknown[] = []
    const keyless = all.inner.run(
      { server: 'bank', tool: 'pay', args: {} },
      async (_, { countersign }) => void seen.push(countersign),
    )
    await runApproved(all.inner, keyless, [ana, bo])
    await all.outer.run({ tool: 'look', args: {} }, (_, { countersign }) => seen.push(countersign))
    expect(seen).toEqual([undefined, undefined])
  })
})
