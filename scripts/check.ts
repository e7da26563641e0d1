/** `npm run check`: everything that can be said about the code without running it. */
import { build } from './build.ts'
import { closingLine } from './closing-line.ts'
import { runTool, type ToolRun } from './tool.ts'

const STEPS: readonly { name: string; run: () => Promise<ToolRun> }[] = [
  { name: 'types', run: () => runTool('tsc', ['-p', 'tsconfig.json']) },
  { name: 'types of the inbox', run: () => runTool('tsc', ['-p', 'inbox/tsconfig.json']) },
  { name: 'types without Node', run: () => runTool('tsc', ['-p', 'tsconfig.portable.json']) },
  {
    name: 'lint and format',
    run: () => runTool('biome', ['check', '--error-on-warnings', '--colors=off']),
  },
  { name: 'nothing unused or undeclared', run: () => runTool('knip', []) },
  { name: 'build', run: build },
  { name: 'package', run: () => runTool('publint', ['--strict']) },
]

export async function runChecks(): Promise<{ passed: number; failed: number }> {
  let passed = 0
  for (const { name, run } of STEPS) {
    const start = performance.now()
    const { ok, output } = await run()
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
    if (ok) passed += 1
    else process.stdout.write(`${output.trimEnd()}\n`)
  }
  return { passed, failed: STEPS.length - passed }
}

if (import.meta.main) process.exitCode = closingLine(await runChecks())
