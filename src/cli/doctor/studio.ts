import path from 'node:path'
import { OPERATOR } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import { keyFolder } from '../../store/audit/key-folder.ts'
import type { Store } from '../../store/store.ts'
import type { Studio, Version } from '../../studio/studio.ts'
import { count } from '../print/show-mistakes.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** Which stored tests run: none, those that change nothing anywhere, or all. */
export const WHICH_TESTS = ['none', 'reading', 'all'] as const
export type WhichTests = (typeof WHICH_TESTS)[number]

export interface StudioCheck {
  /** Where the keys are that secrets were sealed with. */
  readonly folder: string
  readonly allowHosts: readonly string[]
  readonly which: WhichTests
}

/** Whether the tools in service still pass the test they were published with. */
export async function studioFindings(
  store: Store,
  { folder, allowHosts, which }: StudioCheck,
): Promise<Finding[]> {
  const { createStudio } = await import('../../studio/studio.ts')
  const keys = keyFolder(path.join(folder, 'keys'))
  const studio = createStudio({ store, keys, allowHosts })
  try {
    const versions = await inService(studio)
    if (versions.length === 0) return []
    if (which === 'none') {
      return [note('studio', `${count(versions.length, 'published tool')}, not tested`)]
    }
    const [run, left] = [versions, versions].map((all, nth) =>
      all.filter(({ spec }) => (which === 'all' || !mayChange(spec)) === (nth === 0)),
    ) as [Version[], Version[]]
    const failed: Finding[] = []
    // One after the other: this may run beside a server that serves the same tools.
    for (const version of run) failed.push(...(await retested(studio, version)))
    return [...failed, ...passed(run.length - failed.length), ...left.map(notRun)]
  } finally {
    studio.close()
  }
}

async function inService({ kept }: Studio): Promise<Version[]> {
  const found = await Promise.all(
    (await kept.published()).map(({ name, live }) =>
      live === undefined ? undefined : kept.version(name, live),
    ),
  )
  return found.filter((one) => one !== undefined)
}

async function retested(studio: Studio, version: Version): Promise<Finding[]> {
  const { name, version: nth } = version
  const named = `${name}, version ${nth}`
  try {
    const { why } = await studio.retest(version, OPERATOR)
    return why === undefined ? [] : [problem('studio', `${named}: ${why}`, mend(name, version))]
  } catch (error) {
    if (!isCountersignError(error)) throw error
    const fix = error.hint ?? 'See docs/errors.md.'
    return [problem('studio', `${named}: its test cannot run: ${error.message}`, fix)]
  }
}

function mend(name: string, { spec }: Version): string {
  const reaches = spec.capabilities.net.length > 0
  const hosts = reaches ? ' Hosts of your own network need --mcp-allow here as for the server.' : ''
  return `Open ${name} under Studio, mend it and publish it, or unpublish it.${hosts}`
}

function passed(all: number): Finding[] {
  if (all === 0) return []
  return [
    ok(
      'studio',
      `${count(all, 'published tool')} ${all === 1 ? 'passes its' : 'pass their'} stored test`,
    ),
  ]
}

/** It could pay or send for a check-up: `isTest` is only a wish. */
function mayChange({ capabilities: { write, irreversible } }: Version['spec']): boolean {
  return write || irreversible
}

function notRun({ name, spec }: Version): Finding {
  const hosts = spec.capabilities.net.join(', ')
  const what =
    hosts === '' ? 'has an effect that cannot be undone' : `may change things at ${hosts}`
  return note(
    'studio',
    `the test of ${name} did not run: it ${what}`,
    'Run `countersign doctor --tools all` to run it as publishing does.',
  )
}
