/** Every page of the inbox in every view, for everybody: `npm test` looks at two of the four. */
import { runTool } from '../tool.ts'

process.env.COUNTERSIGN_VIEWS = 'all'
const { ok, output } = await runTool('vitest', ['run', 'inbox/test/pages.test.ts'])
process.stdout.write(output)
process.exitCode = ok ? 0 : 1
