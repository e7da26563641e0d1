/*
 * What a gate costs a call that needs nobody. `npm run bench:gate` (add `-- --json FILE`).
 *
 * The limit is a plain call of an async function. All variants run in one process, in turns, and
 * every ratio is taken inside one round, so that a slow machine is slow for all of them.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { JsonObject } from '../src/base/json.ts'
import { createGate } from '../src/gate/gate.ts'
import { combinePolicy } from '../src/policy/combine.ts'
import { loadOwner } from '../src/policy/load.ts'
import { memoryStore } from '../src/store/memory.ts'

const GOAL = 1.25
const ROUNDS = 33
const CALLS = 60_000

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

async function time(variant: Variant): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < CALLS; call++) await variant()
  return ((performance.now() - start) * 1e6) / CALLS
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

async function measure(tool: (given: JsonObject) => Promise<unknown>) {
  const guarded = gate.guard('refund', tool)
  const ruleless = gate.guard('read', tool)
  const context = { approval: undefined, decision: undefined, edited: false }
  const plain = tool as (given: JsonObject, context: unknown) => Promise<unknown>
  const variants: Readonly<Record<string, Variant>> = {
    'plain async call (limit)': () => plain(args, context),
    'gate.guard, tool without rules': () => ruleless(args),
    'gate.guard, two condition groups': () => guarded(args),
    'gate.run, two condition groups': () => gate.run({ tool: 'refund', args }, tool),
    'one more async frame (for scale)': async () => await plain(args, context),
  }
  const rounds: Record<string, number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const timed: Record<string, number> = {}
    for (const [name, variant] of Object.entries(variants)) timed[name] = await time(variant)
    // The first rounds compile.
    if (round >= 3) rounds.push(timed)
  }
  const limit = 'plain async call (limit)'
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
for (const [name, tool] of Object.entries(tools)) {
  results[name] = await measure(tool)
  console.log(`\n${name}`)
  for (const { name: variant, ns, ratio, best } of results[name]) {
    const times = `${ns.toFixed(0).padStart(5)} ns  ${ratio.toFixed(2)} ×  best ${best.toFixed(2)} ×`
    console.log(`  ${variant.padEnd(36)} ${times}`)
  }
}
console.log(`\nGoal: gate.guard ≤ ${GOAL} × a plain async call.`)
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
