/** `npm run check`: everything that can be said about the code without running it. */
import { build } from './build.ts'
import { closingLine } from './closing-line.ts'
import { runTool, type ToolRun } from './tool.ts'

interface Step {
  readonly name: string
  readonly run: () => Promise<ToolRun>
}

/** Lanes run side by side, the steps of a lane one after the other. */
const LANES: readonly (readonly Step[])[] = [
  [
    { name: 'build', run: build },
    { name: 'package', run: () => runTool('publint', ['--strict']) },
    { name: 'nothing unused or undeclared', run: () => runTool('knip', []) },
  ],
  [
    { name: 'types', run: () => runTool('tsc', ['-p', 'tsconfig.json']) },
    { name: 'types of the inbox', run: () => runTool('tsc', ['-p', 'inbox/tsconfig.json']) },
    { name: 'types without Node', run: () => runTool('tsc', ['-p', 'tsconfig.portable.json']) },
    {
      name: 'lint and format',
      run: () => runTool('biome', ['check', '--error-on-warnings', '--colors=off']),
    },
  ],
]

export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 }
  await Promise.all(
    LANES.map(async (steps) => {
      for (const step of steps) counts[(await isOk(step)) ? 'passed' : 'failed'] += 1
    }),
  )
  return counts
}

async function isOk({ name, run }: Step): Promise<boolean> {
  const start = performance.now()
  const { ok, output } = await run().catch((error: unknown) => ({
    ok: false,
    output: String(error),
  }))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
  if (!ok) process.stdout.write(`${output.trimEnd()}\n`)
  return ok
}

if (import.meta.main) process.exitCode = closingLine(await runChecks())
