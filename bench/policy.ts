/**
 * `npm run bench:policy [-- --json FILE] [--rounds N]`: what one decision costs, beside closures
 * written by hand (the limit) and the fastest engine of others, in one process, interleaved.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bytesPerDecision } from './lib/heap.ts'
import { race } from './lib/rounds.ts'
import { catalogue } from './policy/catalogue.ts'
import {
  EVALUATE,
  enginesFor,
  expected,
  HAND,
  JSON_LOGIC,
  loadWork,
  WORD,
} from './policy/engines.ts'
import { sixPolicies } from './policy/six.ts'
import type { Work } from './policy/work.ts'

const CALLS = 4_096
const DECISIONS_FOR_BYTES = 1_000_000

interface Row {
  readonly engine: string
  readonly calls: 'allowed' | 'asked' | 'all'
  readonly ns: number
  readonly bytes: number
  readonly timesHand: number
  readonly timesJsonLogic: number
}

/** What a decision may cost: so many times the closure, and so many nanoseconds for a question. */
interface Goals {
  readonly timesHand: number
  readonly questionNs: number
}

interface Result {
  readonly set: string
  readonly calls: number
  readonly allowed: number
  readonly rows: readonly Row[]
}

function measure(work: Work, rounds: number): Result {
  const policy = loadWork(work)
  const engines = enginesFor(work, policy)
  const answers = expected(policy, work.calls)
  for (const { name, decide } of engines) {
    const wrong = work.calls.filter((call, index) => decide(call) !== answers[index]).length
    if (wrong > 0) throw new Error(`${work.name}: ${name} answers ${wrong} calls wrongly`)
  }
  const allowed = work.calls.filter((_, index) => answers[index] === 0)
  const sets = {
    allowed,
    asked: work.calls.filter((_, index) => answers[index] !== 0),
    all: work.calls,
  }
  const rows = (['allowed', 'asked', 'all'] as const).flatMap((which): Row[] => {
    const calls = sets[which]
    const contestants = engines.map(({ name, loop }) => ({
      name,
      run: () => loop(calls),
      decisions: calls.length,
    }))
    return race(contestants, rounds).map(({ name, ns, times }, index) => {
      // Questions leave so much that a portion must be small to fit between two collections.
      const few = calls.slice(0, 256)
      const portion = which !== 'allowed' && name === EVALUATE ? few : calls
      const run = () => engines[index]?.loop(portion) ?? 0
      return {
        engine: name,
        calls: which,
        ns,
        bytes: bytesPerDecision(run, portion.length, DECISIONS_FOR_BYTES),
        timesHand: times[HAND] ?? Number.NaN,
        timesJsonLogic: times[JSON_LOGIC] ?? Number.NaN,
      }
    })
  })
  return { set: work.name, calls: work.calls.length, allowed: allowed.length, rows }
}

function print({ set, calls, allowed, rows }: Result): void {
  const share = Math.round((100 * allowed) / calls)
  process.stdout.write(`\n${set} (${calls} calls, ${share} % allowed, 0 wrong answers)\n`)
  const head = ['', 'calls', 'ns', 'bytes', '× hand', '× json-logic']
  const cells = rows.map(({ engine, calls: which, ns, bytes, timesHand, timesJsonLogic }) => [
    engine,
    which,
    ns.toFixed(1),
    bytes.toFixed(bytes < 10 ? 1 : 0),
    timesHand.toFixed(2),
    timesJsonLogic.toFixed(2),
  ])
  for (const [name = '', which = '', ...numbers] of [head, ...cells]) {
    const columns = numbers.map((text) => text.padStart(13)).join('')
    process.stdout.write(`  ${name.padEnd(28)}${which.padEnd(8)}${columns}\n`)
  }
}

/** One line for each goal: reached or missed, and by what figure. */
function printGoals({ rows }: Result, { timesHand, questionNs }: Goals): void {
  for (const { engine, calls, timesHand: times, ns } of rows) {
    if (engine === WORD) {
      goal(times <= timesHand, `verdictWord, ${calls}: ${times.toFixed(2)} × hand, ≤ ${timesHand}`)
    } else if (engine === EVALUATE && calls === 'asked') {
      goal(ns <= questionNs, `evaluate, ${calls}: ${ns.toFixed(0)} ns, ≤ ${questionNs}`)
    }
  }
}

function goal(isReached: boolean, text: string): void {
  process.stdout.write(`  ${isReached ? 'reached' : 'MISSED '}  ${text}\n`)
}

const { values } = parseArgs({
  options: {
    json: { type: 'string', default: path.join('bench', 'results', 'policy.json') },
    rounds: { type: 'string', default: '150' },
  },
})
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const file = path.resolve(root, values.json)
const sets: readonly [Work, Goals][] = [
  [sixPolicies(CALLS), { timesHand: 1.5, questionNs: 2_000 }],
  [catalogue(CALLS), { timesHand: 2, questionNs: 2_000 }],
]
const results = sets.map(([work, goals]) => {
  const result = measure(work, Number(values.rounds))
  print(result)
  printGoals(result, goals)
  return result
})
const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length }
await mkdir(path.dirname(file), { recursive: true })
await writeFile(
  file,
  `${JSON.stringify({ machine, rounds: Number(values.rounds), results }, null, 2)}\n`,
)
process.stdout.write(`\nwritten to ${path.relative(process.cwd(), file)}\n`)
