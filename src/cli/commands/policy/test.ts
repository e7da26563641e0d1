import type { Command } from 'commander'
import { runTests, type TestOutcome } from '../../../policy/tooling/suite.ts'
import { printable, printableLines } from '../../print/printable.ts'
import { showExplanation } from '../../print/show-explanation.ts'
import type { Run, Shell } from '../../shell.ts'
import { loadPolicy, namedFiles, takesPolicyFiles } from '../../state/policy-files.ts'

interface Options {
  readonly governance?: readonly string[]
  readonly json?: boolean
}

export function addTest(policy: Command, run: Run): void {
  takesPolicyFiles(policy.command('test'))
    .description('Run the tests inside policy files. A failure shows the values it saw.')
    .option('--json', 'print { passed, failed, tests }')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy test countersign.yaml --governance company.yaml',
    )
    .action((owner: string | undefined, outside: string[], options: Options) =>
      run((shell) => {
        const named = namedFiles(owner, [...outside, ...(options.governance ?? [])], shell)
        const { policy, documents } = loadPolicy(named, shell.cwd)
        const outcomes = runTests(
          policy,
          documents.flatMap(({ tests }) => tests),
        )
        const failed = outcomes.filter(({ passed }) => !passed).length
        if (options.json) shell.out.json(summary(outcomes, failed))
        else print(outcomes, failed, shell)
        return failed === 0 ? 0 : 1
      }),
    )
}

function summary(outcomes: readonly TestOutcome[], failed: number): object {
  return {
    passed: outcomes.length - failed,
    failed,
    tests: outcomes.map((outcome) => {
      const { name, expect, place } = outcome.test
      const { file, line } = place
      const base = { name, file, line, expect, passed: outcome.passed }
      return outcome.passed
        ? base
        : { ...base, problems: outcome.problems, explanation: outcome.explanation }
    }),
  }
}

function print(outcomes: readonly TestOutcome[], failed: number, { out }: Shell): void {
  for (const outcome of outcomes) for (const line of showOutcome(outcome, out.paint)) out.line(line)
  if (outcomes.length === 0) {
    out.line('There are no tests in these files. Add some under `tests:`, such as')
    out.line('  tests:')
    out.line('    - { name: reading is free, call: { tool: read_file, args: {} }, expect: allow }')
  }
  const closing = `${outcomes.length - failed} passed, ${failed} failed`
  out.line(out.paint(['bold', failed > 0 ? 'red' : 'green'], closing))
}

function showOutcome(outcome: TestOutcome, paint: Shell['out']['paint']): string[] {
  const { name, place, call } = outcome.test
  const where = paint('gray', `  ${printable(place.file)}:${place.line}`)
  if (outcome.passed) return [`${paint('green', 'PASS')}  ${printable(name)}${where}`]
  const { problems, explanation } = outcome
  const asked = {
    tool: String(call.tool),
    ...(typeof call.server === 'string' ? { server: call.server } : {}),
  }
  return [
    `${paint(['bold', 'red'], 'FAIL')}  ${printable(name)}${where}`,
    ...problems.flatMap(printableLines).map((line) => `      ${line}`),
    ...(explanation
      ? showExplanation(explanation, asked, paint).map((line) => `      ${line}`.trimEnd())
      : []),
  ]
}
