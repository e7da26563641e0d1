import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take the longest. Started last, each would run alone while other cores have nothing to do. */
const LONGEST = [
  'test/faults.test.ts',
  'test/stores.test.ts',
  'test/examples.test.ts',
  'test/pack.test.ts',
  'test/workflows/temporal.test.ts',
  'test/guides.test.ts',
  'test/workflows/openworkflow.test.ts',
  'test/workflows/inngest.test.ts',
  'test/interleavings.test.ts',
  'inbox/test/every-page.test.ts',
  'inbox/test/deciding.test.ts',
  'test/e2e/chat.test.ts',
  'test/e2e/tools.test.ts',
  'test/e2e/deciding.test.ts',
  'inbox/test/forms.test.ts',
  'inbox/test/truth.test.ts',
  'test/adapters/killed.test.ts',
  'test/mcp/slow.test.ts',
  'test/audit.test.ts',
  'test/cli/hook-server.test.ts',
  'test/cli/drain.test.ts',
  'test/mcp/conformance.test.ts',
  'test/audit-rows.test.ts',
]
const root = path.resolve(import.meta.dirname, '../..')

/**
 * One project after the other: a process that files share goes on only where the next file is of the
 * same project. In each, the longest first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const turnOf = ({ project }: TestSpecification) => projects.indexOf(project.name)
    return sorted.sort((one, other) => turnOf(one) - turnOf(other) || rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.indexOf(path.relative(root, moduleId))
  return at < 0 ? LONGEST.length : at
}
