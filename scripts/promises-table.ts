/** Writes docs/promises.md, and the table of promises in the README, from promises/all.ts. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PROMISES } from '../promises/all.ts'
import { AREAS, type Area, type Promised } from '../promises/promised.ts'
import { UNPROMISED, WEAKNESSES } from '../promises/seeds/seed-coverage.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'promises.md')
export const README = path.join(root, 'README.md')

const OPENING = '<!-- promises -->'
const CLOSING = '<!-- /promises -->'

type Entry = readonly [id: string, promise: Promised]

const entries: readonly Entry[] = Object.entries(PROMISES)

/** The whole list, by area. */
export function promisesPage(): string {
  const areas = Object.keys(AREAS) as Area[]
  return [
    '# What you can rely on',
    '',
    `Countersign makes ${entries.length} promises. Each is kept by at least one test that cites its id: \`grep -rn "'AF-2'" src test\` finds it.`,
    `The letters say where it comes from: ${legend()}.`,
    'An exclamation mark stands for something that document leaves open. Where we deliberately do otherwise than',
    'it says, the promise tells so, and why.',
    '',
    'This page is generated from `promises/all.ts` by `scripts/promises-table.ts`.',
    '',
    ...areas.flatMap(areaTable),
    ...coverage(),
  ].join('\n')
}

/** What the documents say and we do not promise, with the reason. */
function coverage(): string[] {
  const weaknesses = Object.entries(WEAKNESSES).map(
    ([id, by]) => [id, typeof by === 'string' ? by : `Ruled out by ${by.join(', ')}.`] as const,
  )
  return [
    '## Not promised',
    '',
    'Statements of those documents that are no promise here, and weaknesses of those systems that other promises rule out.',
    '',
    '| Id | Why |',
    '|---|---|',
    ...[...Object.entries(UNPROMISED), ...weaknesses].map(
      ([id, why]) => `| ${id} | ${cell(why)} |`,
    ),
    '',
  ]
}

/** `AF Agent Format, AT Atmosphere, …` */
function legend(): string {
  const named = entries.map(([id, { source }]) => `${id.slice(0, 2)} ${source}`)
  return [...new Set(named)].join(', ')
}

function areaTable(area: Area): string[] {
  const rows = entries.filter(([, promise]) => promise.area === area)
  if (rows.length === 0) return []
  return [
    `## ${AREAS[area]}`,
    '',
    '| Id | Promise | Source |',
    '|---|---|---|',
    ...rows.map(([id, promise]) => `| ${id} | ${cell(sentence(promise))} | ${promise.source} |`),
    '',
  ]
}

function sentence({ says, differs }: Promised): string {
  return differs === undefined ? says : `${says}<br>*Differs:* ${differs}`
}

/** What the README shows: the promises that matter most, and where the others are. */
export function readmeTable(): string {
  const headlines = entries.filter(([, { headline }]) => headline)
  return [
    '| You can rely on this | Id |',
    '|---|---|',
    ...headlines.map(([id, { says }]) => `| ${cell(says)} | ${id} |`),
    '',
    `All ${entries.length} promises, each kept by at least one test: [docs/promises.md](docs/promises.md).`,
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The text with the table between its two markers, or undefined where it has no such place. */
export function withTable(text: string, table: string): string | undefined {
  const start = text.indexOf(OPENING)
  const end = text.indexOf(CLOSING)
  if (start < 0 || end < start) return undefined
  return `${text.slice(0, start + OPENING.length)}\n${table}\n${text.slice(end)}`
}

function write(file: string, text: string): void {
  const stale = !existsSync(file) || readFileSync(file, 'utf8') !== text
  if (stale) writeFileSync(file, text)
  process.stdout.write(`${path.relative(root, file)} ${stale ? 'written' : 'is up to date'}\n`)
}

if (import.meta.main) {
  mkdirSync(path.dirname(PAGE), { recursive: true })
  write(PAGE, promisesPage())
  const readme = existsSync(README)
    ? withTable(readFileSync(README, 'utf8'), readmeTable())
    : undefined
  if (readme === undefined) process.stdout.write(`README.md has no ${OPENING} … ${CLOSING}\n`)
  else write(README, readme)
}
