/** The tests with random cases, with many more of them: every test file that imports `volume`. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root, runTool } from '../tool.ts'

process.env.COUNTERSIGN_VOLUME = 'proof'
const files = globSync('{src,test}/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(path.join(root, file), 'utf8').includes('support/volume.ts'),
)
const { ok, output } = await runTool('vitest', ['run', '--testTimeout=3600000', ...files])
process.stdout.write(output)
process.exitCode = ok && files.length > 0 ? 0 : 1
