/** `npm run check`: everything that can be said about the code without running it. */
import { build } from './build.ts'
import { closingLine } from './closing-line.ts'
import { runTool, type ToolRun } from './tool.ts'

interface Step {
  readonly name: string
  readonly run: () => Promise<ToolRun>
}

const BUILD: Step = { name: 'build', run: () => build({ typed: true }) }

/** Looks at what was built, or at the sources alone. Each makes way for everything else that runs. */
const aside = (tool: string, ...args: string[]) => runTool(tool, args, { aside: true })
const OF_THE_PACKAGE: readonly Step[] = [
  { name: 'package', run: () => aside('publint', '--strict') },
  { name: 'nothing unused or undeclared', run: () => aside('knip') },
]
const OF_THE_SOURCES: readonly Step[] = [
  { name: 'types', run: () => aside('tsc', '-p', 'tsconfig.json') },
  { name: 'types of the inbox', run: () => aside('tsc', '-p', 'inbox/tsconfig.json') },
  { name: 'types without Node', run: () => aside('tsc', '-p', 'tsconfig.portable.json') },
  {
    name: 'lint and format',
    run: () => aside('biome', 'check', '--error-on-warnings', '--colors=off'),
  },
]

interface Counts {
  passed: number
  failed: number
}

interface Checks {
  /** Whether the package is built: known long before the rest. */
  readonly built: Promise<boolean>
  readonly counts: Promise<Counts>
}

/** Two lanes side by side: what is built and what looks at it, and what looks at the sources. */
export function startChecks(): Checks {
  const counts: Counts = { passed: 0, failed: 0 }
  const take = async (step: Step) => {
    const ok = await isOk(step)
    counts[ok ? 'passed' : 'failed'] += 1
    return ok
  }
  const built = take(BUILD)
  const lane = async (steps: readonly Step[]) => {
    for (const step of steps) await take(step)
  }
  const all = Promise.all([built.then(() => lane(OF_THE_PACKAGE)), lane(OF_THE_SOURCES)])
  return { built, counts: all.then(() => counts) }
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

if (import.meta.main) process.exitCode = closingLine(await startChecks().counts)
