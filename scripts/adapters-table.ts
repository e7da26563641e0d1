/** Runs every adapter through every case, and writes what came of it to docs/adapters.md and the README. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { adapterCases } from '../src/testing/adapter-cases.ts'
import type { AdapterCase, AdapterHarness } from '../src/testing/adapter-harness.ts'
import { HARNESSES } from '../test/adapters/harnesses.ts'
import { WORLDS } from '../test/adapters/worlds.ts'
import { README } from './promises-table.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'adapters.md')

/** Whether a case passed everywhere. */
export type Passed = (harness: AdapterHarness, one: AdapterCase) => boolean

const OPENING = '<!-- adapters -->'
const CLOSING = '<!-- /adapters -->'

const FACTS = [
  ['suspends, and resumes later', 'suspend'],
  ['resumes in another process', 'elsewhere'],
  ['a sub-agent’s pause reaches the outer run', 'nestedPause'],
  ['an answer in the chat can count', 'inBand'],
  ['calls of one turn resume one by one', 'partial'],
  ['outcomes are read in the order of the calls', 'ordered'],
] as const

const TRIES = [
  ['a tool of every name', 'anyName'],
  ['guarding again', 'guardsAgain'],
  ['the SDK’s own setting', 'native'],
  ['the SDK’s own function', 'nativeByUser'],
  ['handing over', 'handsOver'],
] as const

/** Every case and every adapter. */
export function adaptersPage(passed: Passed): string {
  return [
    '# Adapters',
    '',
    'Each adapter runs the same list of cases with a scripted model, against the real SDK unless a line below says otherwise,',
    'with its approvals in the same process and behind a server. The list is `adapterCases` of `countersign/testing`. This page is written by',
    '`npm run adapters` from such a run; a test compares it.',
    '',
    `| What happens | ${names()} |`,
    `|---|${HARNESSES.map(() => '---|').join('')}`,
    ...adapterCases.map((one) => `| ${one.name} | ${marks(one, passed)} |`),
    '',
    '`–`: there is nothing to try, because the SDK has no such thing.',
    '',
    ...untried(),
    ...HARNESSES.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`, ''])),
    '## What the SDKs can do',
    '',
    `| | ${names()} |`,
    `|---|${HARNESSES.map(() => '---|').join('')}`,
    ...FACTS.map(
      ([fact, key]) =>
        `| ${fact} | ${HARNESSES.map(({ supports }) => (supports[key] ? 'yes' : 'no')).join(' | ')} |`,
    ),
    '',
    '`yes` is what the cases above assert; `no` promises nothing.',
    '',
    "Where an SDK loses the pause of a sub-agent, its tools are guarded with `mode: 'block'`: the call then blocks until it is decided.",
    '',
  ].join('\n')
}

/** One for each note: two notes under one mark cannot be told apart. */
const MARKS = ['¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸'] as const

/** The same in short. */
export function adaptersTable(passed: Passed): string {
  const noted = HARNESSES.filter(({ note }) => note !== undefined)
  const rows = HARNESSES.map((harness) => {
    const tried = adapterCases.filter((one) => applies(one, harness))
    const held = tried.filter((one) => passed(harness, one)).length
    const { suspend, elsewhere, nestedPause } = harness.supports
    const can = [suspend, elsewhere, nestedPause].map((yes) => (yes ? 'yes' : 'blocks'))
    const mark = harness.note === undefined ? '' : ` ${MARKS[noted.indexOf(harness)]}`
    return `| ${harness.name}${mark} | ${held} of ${tried.length} | ${can.join(' | ')} |`
  })
  return [
    '| In front of | Conformance | Suspends | Resumes in another process | In sub-agents |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...noted.flatMap(({ note }, index) => [`${MARKS[index]} ${note}`, '']),
    'Every case: [docs/adapters.md](docs/adapters.md).',
  ].join('\n')
}

export function withAdapters(text: string, table: string): string | undefined {
  const start = text.indexOf(OPENING)
  const end = text.indexOf(CLOSING)
  if (start < 0 || end < start) return undefined
  return `${text.slice(0, start + OPENING.length)}\n${table}\n${text.slice(end)}`
}

/** What a harness says it cannot try, with its reason. */
function untried(): string[] {
  const lines = HARNESSES.flatMap(({ name, tries }) =>
    TRIES.flatMap(([what, key]) =>
      tries[key] === true ? [] : [`- ${name}, ${what}: ${tries[key]}`],
    ),
  )
  return lines.length > 0 ? [...lines, ''] : []
}

function names(): string {
  return HARNESSES.map(({ name }) => name).join(' | ')
}

function applies({ needs, tries }: AdapterCase, harness: AdapterHarness): boolean {
  return (
    (needs === undefined || harness.supports[needs]) &&
    (tries === undefined || harness.tries[tries] === true)
  )
}

function marks(one: AdapterCase, passed: Passed): string {
  return HARNESSES.map((harness) => {
    if (!applies(one, harness)) return '–'
    return passed(harness, one) ? '✓' : '✗'
  }).join(' | ')
}

/** Runs one case in every world. */
async function holds(harness: AdapterHarness, one: AdapterCase): Promise<boolean> {
  for (const open of Object.values(WORLDS)) {
    const world = await open()
    try {
      await one.run(harness, world)
    } catch (error) {
      process.stderr.write(`${harness.name}: ${one.name}: ${String(error)}\n`)
      return false
    } finally {
      await world.close()
    }
  }
  return true
}

if (import.meta.main) {
  const kept = new Set<string>()
  const nameOf = (harness: AdapterHarness, one: AdapterCase) => `${harness.name}/${one.name}`
  for (const harness of HARNESSES) {
    for (const one of adapterCases) {
      if (await holds(harness, one)) kept.add(nameOf(harness, one))
    }
  }
  const passed: Passed = (harness, one) => kept.has(nameOf(harness, one))
  writeFileSync(PAGE, adaptersPage(passed))
  const readme = withAdapters(readFileSync(README, 'utf8'), adaptersTable(passed))
  if (readme !== undefined) writeFileSync(README, readme)
  const total = HARNESSES.length * adapterCases.length
  process.stdout.write(
    `${kept.size} of ${total} cases hold; docs/adapters.md and README.md written\n`,
  )
  // VoltAgent leaves timers behind.
  process.exit()
}
