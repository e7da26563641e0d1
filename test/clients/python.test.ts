import { beforeAll, expect, test } from 'vitest'
import { SENTENCE_NAMES, type Sentence, sentence } from '../../src/gate/sentences.ts'
import { promise } from '../support/promise.ts'
import { python, skipsWithoutPython, whyNot } from './python.ts'

/**
 * The tests of the Python client are Python's own (clients/python/tests). They start real servers
 * from this checkout; here they are run, and the promises that they keep are named.
 */
skipsWithoutPython()

/** Two processes, each with servers of its own: most of the time is waiting. */
const GROUPS = [
  ['test_crashes', 'test_wire', 'test_arguments'],
  ['test_approved', 'test_refused', 'test_waiting', 'test_functions', 'test_asyncio'],
  ['test_adapters', 'test_guide'],
]

interface Result {
  readonly name: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly text: string
}

let results: readonly Result[] = []
let noise = ''

beforeAll(async () => {
  if (whyNot() !== undefined) return
  const groups = await Promise.all(GROUPS.map((names) => python(['-m', 'tests.report', ...names])))
  results = groups.flatMap(({ stdout }) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Result),
  )
  noise = groups.map(({ stderr }) => stderr).join('')
}, 180_000)

/** Every test of these modules and classes passed, and there were some. */
function passed(...names: readonly string[]): void {
  for (const name of names) {
    const found = results.filter((one) => one.name.startsWith(`${name}.`))
    expect(found.length, `tests of ${name}\n${noise}`).toBeGreaterThan(0)
    const others = found.filter(({ status }) => status !== 'passed')
    expect(others.map((one) => `${one.name}: ${one.text}`)).toEqual([])
  }
}

promise(['CS-PY-1'], 'what people approve runs, with what they approved', () => {
  passed('test_approved', 'test_functions.Functions', 'test_asyncio')
})

promise(['CS-PY-2'], 'killed processes, restarted servers and races', () => {
  passed('test_crashes', 'test_waiting.ByHand')
})

promise(['CS-PY-3'], 'broken answers, forged tokens and redirects', () => {
  passed('test_wire', 'test_refused')
})

promise(['CS-PY-4'], 'arguments that are exact, and arguments that cannot be', () => {
  passed('test_arguments')
})

promise(['CS-PY-5'], 'callers that leave', () => {
  passed('test_waiting.Waiting', 'test_asyncio')
})

promise(['CS-PY-6'], 'modes and declarations', () => {
  passed('test_functions.Modes')
})

test('the adapters work with what their frameworks document', () => {
  const own = results.filter(({ name }) => name.startsWith('test_adapters.'))
  expect(own.filter(({ status }) => status === 'failed')).toEqual([])
  expect(own.filter(({ status }) => status === 'passed').length).toBeGreaterThan(6)
  // With the packages themselves they run where those are installed.
  for (const { name, text } of own.filter(({ status }) => status === 'skipped')) {
    expect(name).toMatch(/Real/)
    expect(text).toMatch(/^\w+ is not installed/)
  }
})

test('the examples of the guide run as they stand there', () => passed('test_guide'))

test('no test was left out, and none said anything on the side', () => {
  expect(results.filter(({ status }) => status === 'failed')).toEqual([])
  const skipped = results.filter(({ status }) => status === 'skipped')
  expect(skipped.filter(({ name }) => !/^test_adapters\.Real/.test(name))).toEqual([])
  expect(noise).toBe('')
})

test('a model reads the same sentences from Python', async () => {
  const program = `
import json
from countersign.sentences import DENIED_BY_MODE, SENTENCE_NAMES, sentence
said = {n: [sentence(n, 'pay', approval_id='a1', reason='too late'), sentence(n, 'no name', reason='Why?')] for n in SENTENCE_NAMES}
print(json.dumps({**said, 'mode': [DENIED_BY_MODE, DENIED_BY_MODE]}))`
  const { stdout } = await python(['-c', program])
  const theirs = JSON.parse(stdout) as Record<Sentence, readonly string[]>
  expect(SENTENCE_NAMES).toEqual(expect.arrayContaining(Object.keys(theirs)))
  for (const name of Object.keys(theirs) as Sentence[]) {
    const ours = [
      sentence(name, { tool: 'pay', id: 'a1', reason: 'too late' }),
      sentence(name, { tool: 'no name', reason: 'Why?' }),
    ]
    expect([name, theirs[name]]).toEqual([name, ours])
  }
})
