interface Report {
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/**
 * Real counts from vitest's JSON report. A file that could not be loaded, a run that failed without
 * a failed test, and a run without any test each count as a failure: silence is not success.
 */
export function countTests(
  report: unknown,
  exitCode: number,
): { passed: number; failed: number; skipped: number } {
  const files = isReport(report) ? report.testResults : []
  const statuses = files.flatMap((file) => file.assertionResults.map(({ status }) => status))
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length
  const passed = count('passed')
  const failedTests = count('failed')
  const brokenFiles = files.filter(
    (file) =>
      file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  ).length
  const failed = failedTests + brokenFiles
  const silentFailure = failed === 0 && (exitCode !== 0 || passed === 0)
  return {
    passed,
    failed: silentFailure ? 1 : failed,
    skipped: statuses.length - passed - failedTests,
  }
}

function isReport(value: unknown): value is Report {
  return (
    typeof value === 'object' &&
    value !== null &&
    'testResults' in value &&
    Array.isArray(value.testResults)
  )
}
