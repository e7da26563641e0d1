/*
 * How long one search for a `pattern:` can hold up a gate: ours beside `re2js` by its public API, on
 * the longest text that is searched. `npm run bench:patterns`. Every pattern here is one that a policy
 * may contain; the texts are what a model could send to make the search slow. None of them matches,
 * and none has a literal that a prefilter could look for.
 */
import { RE2JS } from 're2js'
import { compilePattern, MAX_PATTERN_INPUT } from '../src/policy/pattern/pattern.ts'
import { seeded } from './lib/random.ts'
import { median } from './store/sample.ts'

const TIMES = 5
const random = seeded(1)

function hostileText(): string {
  return Array.from({ length: MAX_PATTERN_INPUT }, () => random.pick(['a', 'b'])).join('')
}

const patterns = [10, 100, 300, 900].flatMap((count) => [
  `(a|b)*a(a|b){${count}}[cd]`,
  `a[ab]{${count}}[cd]`,
  `(a[ab]{0,${count}}[cd])`,
  `(?:a[a-z]{${count}}|b[a-z]{${count}})[XY]`,
])

function timed(search: (text: string) => boolean): { first: number; usual: number } {
  const times = Array.from({ length: TIMES }, () => {
    const text = hostileText()
    const from = performance.now()
    if (search(text)) throw new Error('found what is not there')
    return performance.now() - from
  })
  return { first: times[0] ?? Number.NaN, usual: median(times) }
}

const rows = patterns.map((pattern) => {
  const ours = compilePattern(pattern)
  if (!ours.ok) throw new Error(`${pattern}: ${ours.problem}`)
  const theirs = RE2JS.compile(pattern)
  const own = timed(ours.value.test)
  const other = timed((text) => theirs.test(text))
  return {
    pattern,
    'ours, first ms': own.first.toFixed(1),
    'ours, median ms': own.usual.toFixed(1),
    're2js, first ms': other.first.toFixed(1),
    're2js, median ms': other.usual.toFixed(1),
    times: (other.usual / own.usual).toFixed(0),
  }
})
console.table(rows)
