import type { Approval } from '../approval/approval.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Gate } from '../gate/gate.ts'
import { idIn } from './engine.ts'

/** What withdrawing for a workflow needs: a gate with a store of its own. */
export type ListingGate = Pick<Gate, 'approvals'>

export interface WithdrawnEnded {
  /** How many questions were withdrawn. */
  readonly withdrawn: number
  /**
   * The ids of open questions whose workflow the engine does not know. They stay, because it may be
   * another database, namespace or cluster that does; nothing but their time ends them.
   */
  readonly unknown: readonly string[]
}

/**
 * Withdraws the open questions of workflows that the engine says are over. Engines cancel and fail
 * workflows without telling their code, so a question can be left behind that nothing waits for.
 * `isOver` resolves to undefined where the engine does not know the workflow.
 */
export async function withdrawEnded(
  engine: string,
  { approvals }: ListingGate,
  isOver: (workflow: string, run: string) => Promise<boolean | undefined>,
): Promise<WithdrawnEnded> {
  const over = new Map<string, Promise<boolean | undefined>>()
  const unknown: string[] = []
  let withdrawn = 0
  let after: string | undefined
  do {
    const page = await approvals.list(
      { status: ['pending', 'approved'], execution: ['none'] },
      { order: 'oldest', ...(after === undefined ? {} : { after }) },
    )
    for (const approval of page.approvals) {
      const { run } = approval.call
      const id = idIn(engine, run)
      if (run === undefined || id === undefined) continue
      const known = over.get(run) ?? isOver(id, run)
      over.set(run, known)
      const ended = await known
      if (ended === undefined) unknown.push(approval.id)
      else if (ended && (await withdraw({ approvals }, approval))) withdrawn += 1
    }
    after = page.next
  } while (after !== undefined)
  return { withdrawn, unknown }
}

async function withdraw({ approvals }: ListingGate, { id, call }: Approval): Promise<boolean> {
  try {
    await approvals.withdraw(id, { agent: call.agent })
    return true
  } catch (error) {
    // Its state changed meanwhile: it is over, or it was claimed after all.
    if (isCountersignError(error)) return false
    throw error
  }
}
