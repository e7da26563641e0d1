import type { WorkflowCallback } from 'agents/workflows'
import { isCountersignError } from '../../../base/errors.ts'
import type { Json } from '../../../base/json/json.ts'
import type { RunReport } from '../../../gate/admin/run-reports.ts'
import { isAway, type WorkflowGate } from '../../gates.ts'
import { approvalProgress } from '../progress.ts'

/** A gate that can also show what a workflow reports on the page of its run. */
export interface ReportingGate extends WorkflowGate {
  readonly approvals: WorkflowGate['approvals'] & {
    report(id: string, report: RunReport): Promise<void>
  }
}

/** Undefined for events, and for what the page shows anyway: that a question waits or is over. */
export function runReportOf(callback: WorkflowCallback): RunReport | undefined {
  switch (callback.type) {
    case 'progress':
      if (approvalProgress(callback.progress)) return undefined
      return { type: 'progress', progress: (callback.progress ?? null) as Json }
    case 'complete': {
      const { result } = callback
      return { type: 'complete', ...(result === undefined ? {} : { result: result as Json }) }
    }
    case 'error':
      return { type: 'error', error: callback.error || 'Error' }
    default:
      return undefined
  }
}

const PAUSES_MS = [250, 1_000] as const

/** A server that stays away, or does not take the report, leaves it out. */
export async function reportToPage(
  { approvals }: ReportingGate,
  id: string,
  report: RunReport,
): Promise<void> {
  for (const pause of [...PAUSES_MS, undefined]) {
    try {
      return await approvals.report(id, report)
    } catch (error) {
      // What is no JSON is the mistake of the workflow, and none that ends it.
      if (!isCountersignError(error) || !isAway(error) || pause === undefined) return
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
