import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take the longest. Started last, each would run alone while other cores have nothing to do. */
const LONGEST = [
  'test/faults.test.ts',
  'inbox/test/every-page.test.ts',
  'inbox/test/deciding.test.ts',
  'test/e2e/chat.test.ts',
  'test/stores.test.ts',
  'test/e2e/tools.test.ts',
  'test/e2e/deciding.test.ts',
  'inbox/test/forms.test.ts',
  'test/mcp/slow.test.ts',
  'test/pack.test.ts',
  'test/workflows/temporal.test.ts',
  'inbox/test/truth.test.ts',
  'test/guides.test.ts',
  'test/cli/drain.test.ts',
  'test/workflows/openworkflow.test.ts',
  'test/workflows/inngest.test.ts',
  'test/mcp/conformance.test.ts',
  'test/audit-rows.test.ts',
  'test/adapters/killed.test.ts',
  'test/interleavings.test.ts',
]
const root = path.resolve(import.meta.dirname, '../..')

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.indexOf(path.relative(root, moduleId))
  return at < 0 ? LONGEST.length : at
}
