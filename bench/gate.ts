/*
 * What a gate costs a call that needs nobody. `npm run bench:gate` (add `-- --json FILE`).
 *
 * The limit is a plain call of an async function. All variants run in one process, in turns, and
 * every ratio is taken inside one round, so that a slow machine is slow for all of them.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { JsonObject } from '../src/base/json/json.ts'
import { createGate } from '../src/gate/gate.ts'
import { combinePolicy } from '../src/policy/load/combine.ts'
import { loadOwner } from '../src/policy/load/load.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { aiSdkTurns } from './gate/ai-sdk.ts'

const GOAL = 1.25
const ROUNDS = 33
const CALLS = 60_000
/** A turn of an SDK takes some thousand times as long as a call. */
const TURNS = 200

const { values } = parseArgs({ options: { json: { type: 'string' } } })

const loaded = loadOwner({
  file: 'countersign.yaml',
  text: `version: 1
tools:
  refund:
    approval:
      condition:
        - args_match: { amount: { gt: 10000 }, currency: USD }
        - args_match: { recipient_type: external }
`,
})
if (!loaded.ok) throw new Error('the policy of the benchmark does not load')

const gate = createGate({
  policy: combinePolicy({ owner: loaded.document }),
  store: memoryStore(),
  agent: 'biller',
  run: 'chat-1',
})

// Parsed, as arguments of a model are.
const args: JsonObject = JSON.parse(
  '{"amount":50,"currency":"USD","recipient_type":"internal","to":"acme","memo":"invoice 7"}',
)

/** The smallest tool there is, and one that waits once, as any real one does at least. */
const tools = {
  'tool that returns at once': async (given: JsonObject) => ({ paid: given.amount }),
  'tool that awaits once': async (given: JsonObject) => {
    await null
    return { paid: given.amount }
  },
}

type Variant = () => Promise<unknown>

async function time(variant: Variant, calls: number): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < calls; call++) await variant()
  return ((performance.now() - start) * 1e6) / calls
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function callsOf(tool: (given: JsonObject) => Promise<unknown>): Readonly<Record<string, Variant>> {
  const guarded = gate.guard(tool, { name: 'refund' })
  const ruleless = gate.guard(tool, { name: 'read' })
  const context = { approval: undefined, decision: undefined, edited: false }
  const plain = tool as (given: JsonObject, context: unknown) => Promise<unknown>
  return {
    'plain async call (limit)': () => plain(args, context),
    'gate.guard, tool without rules': () => ruleless(args),
    'gate.guard, two condition groups': () => guarded(args),
    'gate.run, two condition groups': () => gate.run({ tool: 'refund', args }, tool),
    'one more async frame (for scale)': async () => await plain(args, context),
  }
}

/** Every ratio is to the first variant, inside one round. */
async function measure(variants: Readonly<Record<string, Variant>>, calls: number) {
  const rounds: Record<string, number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const timed: Record<string, number> = {}
    for (const [name, variant] of Object.entries(variants)) timed[name] = await time(variant, calls)
    // The first rounds compile.
    if (round >= 3) rounds.push(timed)
  }
  const [limit = ''] = Object.keys(variants)
  const of = (name: string) => rounds.map((timed) => timed[name] ?? Number.NaN)
  return Object.keys(variants).map((name) => ({
    name,
    ns: median(of(name)),
    ratio: median(of(name).map((ns, round) => ns / (of(limit)[round] ?? 1))),
    /** Of the fastest rounds: what is left when nobody else uses the machine. */
    best: Math.min(...of(name)) / Math.min(...of(limit)),
  }))
}

const results: Record<string, Awaited<ReturnType<typeof measure>>> = {}
for (const [name, tool] of Object.entries(tools)) show(name, await measure(callsOf(tool), CALLS))
show('a turn of the Vercel AI SDK, one call', await measure(aiSdkTurns(gate), TURNS))

function show(name: string, measured: Awaited<ReturnType<typeof measure>>): void {
  results[name] = measured
  console.log(`\n${name}`)
  for (const { name: variant, ns, ratio, best } of measured) {
    const times = `${ns.toFixed(0).padStart(7)} ns  ${ratio.toFixed(2)} ×  best ${best.toFixed(2)} ×`
    console.log(`  ${variant.padEnd(36)} ${times}`)
  }
}
console.log(`\nGoal: gate.guard ≤ ${GOAL} × a plain async call.`)
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
