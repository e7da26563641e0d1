/** Writes which case holds on which workflow engine to docs/workflow-engines.md. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { lastCase, workflowCases } from '../test/workflows/cases.ts'
import { ENGINES } from '../test/workflows/conformance.ts'
import { KILLS } from '../test/workflows/kills.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'workflow-engines.md')

export function enginesPage(): string {
  const cases = [...workflowCases, lastCase]
  const left = ENGINES.flatMap(({ name, leftOut = {} }) =>
    Object.entries(leftOut).map(([one, why]) => `- ${name}, *${one}*: ${why}.`),
  )
  return [
    '# Workflow engines',
    '',
    'Every engine runs the same list of cases (`test/workflows/cases.ts`) with its own SDK, and its worker is killed by `kill -9`',
    `at ${KILLS.length} places. \`npm run proof workflows\` does that with 20 seeds, on all of them but Cloudflare,`,
    'whose proof kills once at each. This page is written by `npm run workflows`; a test compares it with the cases.',
    '[How to use them](guides/workflows.md).',
    '',
    '| Engine | Runs against | Cases | Also with approvals on a server |',
    '|---|---|---|---|',
    ...ENGINES.map(({ name, against, overHttp, leftOut = {} }) => {
      const kept = cases.length - Object.keys(leftOut).length
      return `| ${name} | ${against} | ${kept} of ${cases.length} | ${overHttp ? 'yes' : 'not run'} |`
    }),
    '',
    `| What happens | ${ENGINES.map(({ name }) => name).join(' | ')} |`,
    `|---|${ENGINES.map(() => '---|').join('')}`,
    ...cases.map(({ name }) => {
      const marks = ENGINES.map(({ leftOut = {} }) => (Object.hasOwn(leftOut, name) ? '–' : 'yes'))
      return `| ${name} | ${marks.join(' | ')} |`
    }),
    '',
    '`–`: not run, because',
    '',
    ...left,
    '',
  ].join('\n')
}

if (import.meta.main) {
  writeFileSync(PAGE, enginesPage())
  process.stdout.write('docs/workflow-engines.md written\n')
}
