import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../../../../test/support/promise.ts'
import { CountersignError, type ErrorCode } from '../../../base/errors.ts'
import { type ReportingGate, reportToPage } from './run-page.ts'

function failing(code: ErrorCode) {
  const report = vi.fn(async () => {
    throw new CountersignError(code, 'no')
  })
  return { gate: { approvals: { report } } as unknown as ReportingGate, report }
}

promise(
  ['CF-16', 'CS-FLOW-10'],
  'a server that is away, or takes no report, fails no step of the workflow',
  async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    for (const [code, tries] of [
      ['store_unavailable', 3],
      ['too_many_requests', 3],
      ['approval_not_found', 1],
    ] as const) {
      const { gate, report } = failing(code)
      const reporting = reportToPage(gate, 'a', { type: 'complete' })
      await vi.runAllTimersAsync()
      await expect(reporting).resolves.toBeUndefined()
      expect(report).toHaveBeenCalledTimes(tries)
    }
  },
)
