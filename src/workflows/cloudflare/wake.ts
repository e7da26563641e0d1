import { readSignedNotice } from '../signed-notice.ts'
import { wakeUpOf } from '../wake.ts'
import { eventType, NAME } from './engine.ts'

/** A binding of a workflow, as far as waking needs it. */
export interface WakeableWorkflow {
  get(id: string): Promise<WakeableInstance>
}

export interface WakeableInstance {
  status(): Promise<{ readonly status: string }>
  sendEvent(event: { type: string; payload: unknown }): Promise<void>
}

export interface WakeOptions {
  /** That of the server’s webhook, `whsec_…`; several while it is changed. */
  readonly secret: string | readonly string[]
  /** The workflows of this Worker that wait for people, such as `[env.EXPENSE_WORKFLOW]`. */
  readonly workflows: readonly WakeableWorkflow[]
  /** The agent of this Worker’s token. Notices of other agents are left alone where it is set. */
  readonly agent?: string
}

/** How an instance is called that no event reaches any more. */
const OVER: readonly string[] = ['complete', 'errored', 'terminated']

/**
 * Answers the signed webhook of a server: wakes the instance whose question is over. A wake-up
 * carries no answer. Whatever the server did not sign within the last minutes wakes none.
 */
export async function wake(
  request: Request,
  { secret, workflows, agent }: WakeOptions,
): Promise<Response> {
  if (request.method !== 'POST') return answer(405)
  const notice = await readSignedNotice(request, secret)
  if (!notice) return answer(401)
  if (agent !== undefined && notice.approval.agent !== agent) return answer(204)
  const wakeUp = wakeUpOf(NAME, notice)
  if (!wakeUp) return answer(204)
  const sent = await Promise.allSettled(
    workflows.map((workflow) => wakeInstance(workflow, wakeUp.workflow, wakeUp.approval)),
  )
  // The server tries again later; instances that were woken are woken once more, which is nothing.
  return answer(sent.some(({ status }) => status === 'rejected') ? 503 : 204)
}

async function wakeInstance(
  workflow: WakeableWorkflow,
  id: string,
  approval: string,
): Promise<void> {
  try {
    const instance = await workflow.get(id)
    const { status } = await instance.status()
    if (OVER.includes(status)) return
    // Kept until the workflow waits for it, so it is never too early.
    await instance.sendEvent({ type: eventType(approval), payload: null })
  } catch (error) {
    // Of another workflow of this Worker, or gone.
    if (!/not[_ ]?found|does not exist/i.test(String(error))) throw error
  }
}

function answer(status: 204 | 401 | 405 | 503): Response {
  return new Response(null, { status })
}
