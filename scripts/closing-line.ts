/**
 * The last line of a run, for people and programs alike, and its exit code. A run that did nothing
 * has not passed.
 */
export function closingLine(counts: { passed: number; failed: number }): number {
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1
}
