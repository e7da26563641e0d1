/** Every page of the inbox at every size in both themes with axe: `npm test` uses it in two of the eight looks. */
import { runTool } from '../tool.ts'

process.env.COUNTERSIGN_VIEWS = 'all'
const { ok, output } = await runTool('vitest', ['run', 'inbox/test/every-page.test.ts'])
process.stdout.write(output)
process.exitCode = ok ? 0 : 1
