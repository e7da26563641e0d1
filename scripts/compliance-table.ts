/** Writes docs/compliance.md from promises/compliance: lines of standards and laws, and the promises that keep them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PROMISES } from '../promises/all.ts'
import { AI_ACT } from '../promises/compliance/ai-act.ts'
import { AISVS } from '../promises/compliance/aisvs.ts'
import { isMet, type Requirement, type Standard } from '../promises/compliance/requirement.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'compliance.md')
export const STANDARDS: readonly Standard[] = [AISVS, AI_ACT]

export function compliancePage(): string {
  return [
    '# Standards and laws, line by line',
    '',
    'What Countersign does for lines of two texts that reviewers ask about. Each line names promises, and',
    '[each promise](promises.md) is kept by a test that goes red when it breaks. *Leaves* says what is yours to do. A line that is not met',
    'says why. The lines are put in our words: read the sources for theirs. This page is no legal advice.',
    '',
    'For evidence about your own installation: [reports from the record](reference/audit.md#reports).',
    '',
    ...STANDARDS.flatMap(({ title, source, requirements }) => [
      `## ${title}`,
      '',
      `${source}`,
      '',
      '| Line | Asks for | Kept by |',
      '|---|---|---|',
      ...Object.entries(requirements).map(([id, one]) => `| ${id} | ${one.asks} | ${kept(one)} |`),
      '',
    ]),
    'This page is generated from `promises/compliance` by `npm run compliance`.',
    '',
  ].join('\n')
}

function kept(requirement: Requirement): string {
  if (!isMet(requirement)) return `**Not met.** ${requirement.reason}`
  const promises = requirement.by.map((id) => `${PROMISES[id].says} (${id})`)
  const leaves = requirement.leaves === undefined ? [] : [`*Leaves:* ${requirement.leaves}`]
  return [...promises, ...leaves].join('<br>').replaceAll('|', '\\|')
}

if (import.meta.main) {
  const page = compliancePage()
  const stale = !existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== page
  if (stale) writeFileSync(PAGE, page)
  process.stdout.write(`docs/compliance.md ${stale ? 'written' : 'is up to date'}\n`)
}
