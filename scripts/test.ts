/** `npm test`: every check and every test. The last line counts both. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startChecks } from './check.ts'
import { closingLine } from './closing-line.ts'
import { countTests } from './count-tests.ts'
import { root } from './tool.ts'

async function runVitest(report: string, isBuilt: boolean): Promise<number> {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    // The test of the package need not build it once more.
    env: { ...process.env, PACKAGE_IS_BUILT: isBuilt ? 'yes' : 'no' },
  })
  // Ctrl-C reaches vitest as well; it stops what the tests started, and then this ends by itself.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

// The tests begin when the package is built; the other checks use what the tests leave of the cores.
const { built, counts } = startChecks()
const isBuilt = await built
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-test-'))
try {
  const report = path.join(folder, 'report.json')
  const exitCode = await runVitest(report, isBuilt)
  const checks = await counts
  const tests = countTests(readReport(report), exitCode)
  process.exitCode = closingLine({
    passed: checks.passed + tests.passed,
    failed: checks.failed + tests.failed,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
