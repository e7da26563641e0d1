/** Every page of the inbox in every view: `npm test` looks at three of the five. */
import { runTool } from '../tool.ts'

process.env.COUNTERSIGN_VIEWS = 'all'
const { ok, output } = await runTool('vitest', ['run', 'inbox/test/pages.test.ts'])
process.stdout.write(output)
process.exitCode = ok ? 0 : 1
