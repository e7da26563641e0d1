/** Writes docs/threats.md from promises/threats/all.ts: every threat we know of, and the tests that would notice. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { THREAT_SECTIONS } from '../promises/threats/all.ts'
import { PRIOR_ART } from '../promises/threats/prior-art.ts'
import { GAP, isCovered, isGap, type PriorBug, type Threat } from '../promises/threats/threat.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'threats.md')

type Entry<T extends Threat = Threat> = readonly [id: string, threat: T]

const threats: readonly Entry[] = THREAT_SECTIONS.flatMap((section) =>
  Object.entries(section.threats),
)
const bugs: readonly Entry<PriorBug>[] = Object.entries(PRIOR_ART)

export interface Counts {
  readonly all: number
  readonly tested: number
  readonly partly: number
  readonly limits: number
  readonly reasons: number
  readonly gaps: number
}

export function countsOf(entries: readonly Entry[]): Counts {
  const of = (is: (threat: Threat) => boolean) => entries.filter(([, threat]) => is(threat)).length
  return {
    all: entries.length,
    tested: of((threat) => kindOf(threat) === 'tested'),
    partly: of((threat) => kindOf(threat) === 'partly'),
    limits: of((threat) => kindOf(threat) === 'limit'),
    reasons: of((threat) => !isCovered(threat) && !isGap(threat)),
    gaps: of(isGap),
  }
}

function kindOf(threat: Threat): 'tested' | 'partly' | 'limit' | undefined {
  if (!isCovered(threat)) return undefined
  if (threat.limit !== undefined) return 'limit'
  return threat.partly === undefined ? 'tested' : 'partly'
}

export function threatsPage(): string {
  return [
    '# Threats, and the tests that would notice',
    '',
    'Every threat of our threat model and every approval bug of another project that we know of, with the tests that go red',
    'when the defence breaks. *Partly* says what these tests leave open. A *limit* is documented, and nothing prevents it. What has',
    'no test says why.',
    '',
    '| | All | Tested | Partly | Limit | Not applicable | No test yet |',
    '|---|---|---|---|---|---|---|',
    countRow('Threats', countsOf(threats)),
    countRow('Bugs of other projects', countsOf(bugs)),
    '',
    'This page is generated from `promises/threats/all.ts` by `npm run threats`. What Countersign does not defend against is in',
    '[SECURITY.md](../SECURITY.md); how crashes are produced is in [reliability.md](reliability.md).',
    '',
    ...gaps(),
    ...THREAT_SECTIONS.flatMap(({ id, title, threats: entries }) => [
      `## ${id}. ${title}`,
      '',
      '| Id | Threat | Tests |',
      '|---|---|---|',
      ...Object.entries(entries).map(
        ([threat, entry]) => `| ${threat} | ${cell(entry.threat)} | ${evidence(entry)} |`,
      ),
      '',
    ]),
    '## Bugs of other projects',
    '',
    '| No. | Bug | Published as | Tests |',
    '|---|---|---|---|',
    ...bugs.map(
      ([id, bug]) => `| ${id} | ${cell(bug.threat)} | ${cell(bug.source)} | ${evidence(bug)} |`,
    ),
    '',
  ].join('\n')
}

function countRow(name: string, counts: Counts): string {
  const { all, tested, partly, limits, reasons, gaps: open } = counts
  return `| ${name} | ${all} | ${tested} | ${partly} | ${limits} | ${reasons} | ${open} |`
}

function gaps(): string[] {
  const open = [...threats, ...bugs].filter(([, threat]) => isGap(threat))
  if (open.length === 0) return []
  const rows = open.map(([id, threat]) => `| ${id} | ${cell(threat.threat)} | ${why(threat)} |`)
  return ['## No test yet', '', '| Id | Threat | What is missing |', '|---|---|---|', ...rows, '']
}

function why(threat: Threat): string {
  if (isCovered(threat)) return ''
  const { reason } = threat
  if (!reason.startsWith(GAP)) return cell(reason)
  const rest = reason.slice(GAP.length)
  return cell(`${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`)
}

function evidence(threat: Threat): string {
  if (!isCovered(threat)) return isGap(threat) ? `*No test yet.* ${why(threat)}` : why(threat)
  const tests = Object.entries(threat.tests).map(
    ([file, titles]) =>
      `[${file}](../${file}): ${titles.map((one) => `*${text(one)}*`).join(', ')}`,
  )
  const partly = threat.partly === undefined ? [] : [`**Partly.** ${cell(threat.partly)}`]
  const limit = threat.limit === undefined ? [] : [`**Limit.** ${cell(threat.limit)}`]
  return [...tests, ...partly, ...limit].join('<br>')
}

/** A title as its file has it; what Markdown would read as its own is kept from it. */
function text(title: string): string {
  return cell(title.replaceAll(/[*_`<]/g, '\\$&'))
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|')
}

if (import.meta.main) {
  const page = threatsPage()
  const stale = !existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== page
  if (stale) writeFileSync(PAGE, page)
  process.stdout.write(`docs/threats.md ${stale ? 'written' : 'is up to date'}\n`)
}
