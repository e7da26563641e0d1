import type { RunPage } from '../../api/runs/run.ts'
import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { workflowRun } from '../../base/workflow-run.ts'
import { isSameRun, runReports } from '../../gate/admin/run-reports.ts'
import { questionOf } from '../../gate/content/stored-content.ts'
import type { Page } from '../../store/store.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { listedRows } from '../read-approvals.ts'
import type { Services } from '../services.ts'

const MOST_LISTED = 100
/** Pages of what the search finds under the name of a run; the ids of some are short. */
const MOST_PAGES = 20

/** The run that asked for this approval. */
export async function readRun(
  services: Services,
  approval: Approval,
  person: PersonCaller['person'],
): Promise<RunPage> {
  const run = workflowRun(approval.call.run)
  if (!run) throw new CountersignError('not_found', 'no workflow asked for this approval')
  const { store } = services
  const [reports, { found, isPartial }] = await Promise.all([
    runReports(store.records, approval),
    approvalsOf(services, approval),
  ])
  const approvals = await listedRows(services, found, person)
  const [newest] = approvals
  const questions = newest && (await store.content(newest.id, ['question']))
  const { agent, principal } = newest ?? { agent: approval.call.agent }
  return {
    ...run,
    agent,
    reports,
    approvals,
    ...given({ principal, workflow: questionOf(questions ?? [])?.context?.workflow }),
    ...(isPartial ? { isPartial } : {}),
  }
}

/** The search narrows it down; whose run it is decides. */
async function approvalsOf(
  { store }: Services,
  approval: Approval,
): Promise<{ readonly found: readonly Approval[]; readonly isPartial: boolean }> {
  const { agent, run = '' } = approval.call
  const [text = ''] = run.split('/')
  const found = [approval]
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { approvals, next }: Page = await store.list(
      { agent, text },
      { order: 'newest', limit: 500, ...(after === undefined ? {} : { after }) },
    )
    found.push(...approvals.filter((one) => one.id !== approval.id && isSameRun(one, approval)))
    after = next
    if (after === undefined || found.length >= MOST_LISTED) break
  }
  const newest = found.toSorted((one, other) => other.askedAt - one.askedAt)
  const isPartial = after !== undefined || newest.length > MOST_LISTED
  return { found: newest.slice(0, MOST_LISTED), isPartial }
}
