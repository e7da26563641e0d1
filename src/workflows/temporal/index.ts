/** `countersign/temporal`: the activities and the client's side of Temporal workflows that wait for people. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Channel } from '../../gate/notify/channel.ts'
import { withdrawEnded as endedOf, type ListingGate, type WithdrawnEnded } from '../ended-runs.ts'
import { wakeChannel } from '../wake.ts'
import { NAME, WAKE_UP } from './protocol.ts'

export type { WithdrawnEnded } from '../ended-runs.ts'
export type { WorkflowGate } from '../gates.ts'
export type { StepTool } from '../guard-step.ts'
export { countersignActivities, type StepTools } from './activities.ts'

/** A channel of the gate: wakes a workflow as soon as its question is over. */
export function wakeUps({ workflow: workflows }: Pick<Client, 'workflow'>): Channel {
  return wakeChannel(NAME, async ({ workflow, approval }) => {
    try {
      // Without the id of a run: after a reset another run waits. It is kept until it is received.
      await workflows.getHandle(workflow).signal(WAKE_UP, approval)
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
    return true
  })
}

/**
 * Asks the workflow to cancel, which withdraws its questions, and withdraws them also while no
 * worker is up.
 */
export async function cancelWorkflow(
  { workflow: workflows }: Pick<Client, 'workflow'>,
  gate: ListingGate,
  id: string,
): Promise<void> {
  await workflows.getHandle(id).cancel()
  await endedOf(NAME, gate, async (workflow) => workflow === id)
}

/** Ends a workflow at once and withdraws its questions. Temporal tells its code nothing. */
export async function terminateWorkflow(
  { workflow: workflows }: Pick<Client, 'workflow'>,
  gate: ListingGate,
  id: string,
  reason?: string,
): Promise<void> {
  await workflows.getHandle(id).terminate(reason)
  await endedOf(NAME, gate, async (workflow) => workflow === id)
}

/**
 * Withdraws the questions of workflows that were terminated, failed, timed out or finished without
 * them; those of workflows that this namespace does not know, or keeps no longer, stay. Call it now
 * and then.
 */
export function withdrawEnded(client: Client, gate: ListingGate): Promise<WithdrawnEnded> {
  return endedOf(NAME, gate, async (id, run) => {
    const [, original] = run.split('/')
    try {
      const { status, runId } = await client.workflow.getHandle(id).describe()
      // Only one run of an id is open at a time.
      if (OVER.includes(status.name)) return true
      return runId !== original && (await originalOf(client, id, runId)) !== original
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined
      throw error
    }
  })
}

/** The run that a reset was made from; where there was none, the run itself. */
async function originalOf(client: Client, workflowId: string, runId: string) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  })
  const { workflowExecutionStartedEventAttributes: started } = history?.events?.[0] ?? {}
  return started?.originalExecutionRunId
}

const OVER: readonly string[] = [
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'TIMED_OUT',
  'CONTINUED_AS_NEW',
]
