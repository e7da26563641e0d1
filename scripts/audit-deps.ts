/**
 * `npm run audit:deps`: known vulnerabilities of what users install. 1: there are high ones. With
 * `--release`, 2 where the registry does not say.
 */
import { auditExitCode, auditResult } from './release/checks.ts'
import { run } from './release/command.ts'

/** Says what was found, and gives the exit code. */
export function auditDependencies(isRelease: boolean): number {
  const { stdout } = run('npm', ['audit', '--omit=dev', '--package-lock-only', '--json'])
  const audited = auditResult(stdout)
  const { result } = audited
  console.log(
    result === 'checked'
      ? `audit: ${audited.high} high or critical, ${audited.lower} lower`
      : `audit: not checked (${audited.why})`,
  )
  return auditExitCode(audited, { isRelease })
}

if (import.meta.main) process.exitCode = auditDependencies(process.argv.includes('--release'))
