/** `npm test`: the checks, then every test. The last line counts both. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runChecks } from './check.ts'
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

const checks = await runChecks()
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-test-'))
try {
  const report = path.join(folder, 'report.json')
  const exitCode = await runVitest(report, checks.failed === 0)
  const tests = countTests(readReport(report), exitCode)
  process.exitCode = closingLine({
    passed: checks.passed + tests.passed,
    failed: checks.failed + tests.failed,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
