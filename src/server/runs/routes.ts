import type { ReportBody } from '../../api/runs/run.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import type { RunReport } from '../../gate/admin/run-reports.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { agentOf, personOf, type Route, route } from '../http/route.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { readRun } from './read-run.ts'

/** More than the workflows of one agent say in a minute, and few enough to write. */
const MOST_REPORTS = 600

function reportOf({ type, progress = null, result, error }: ReportBody): RunReport {
  if (type === 'progress') return { type, progress }
  if (type === 'complete') return { type, ...given({ result }) }
  if (error) return { type, error }
  throw new CountersignError('invalid_value', 'error: a text is needed')
}

export function runRoutes(services: Services): Route[] {
  const { gate, store } = services
  const reports = createRateLimit({ most: MOST_REPORTS, windowMs: 60_000, what: 'reports' })
  return [
    route('POST /v1/approvals/:id/reports', async ({ caller, params, body, reply }) => {
      const { token } = agentOf(caller)
      // Another agent's approval does not exist for this one.
      const { id } = await knownApproval(store, params.id, caller)
      reports.take(token.prefix)
      await gate.with({ agent: token.agent }).approvals.report(id, reportOf(body))
      return reply(204)
    }),
    route('GET /v1/approvals/:id/run', async ({ caller, params, reply }) => {
      const approval = await knownApproval(store, params.id, caller)
      return reply(200, await readRun(services, approval, personOf(caller).person))
    }),
  ]
}
