import type { Approval } from '../approval/approval.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Gate } from '../gate/gate.ts'
import { idIn } from './engine.ts'

/** What withdrawing for a workflow needs: a gate with a store of its own. */
export type ListingGate = Pick<Gate, 'approvals'>

/**
 * Withdraws the open questions of workflows that are over. Engines cancel and fail workflows
 * without telling their code, so a question can be left behind that nothing waits for.
 */
export async function withdrawEnded(
  engine: string,
  { approvals }: ListingGate,
  isOver: (workflow: string, run: string) => Promise<boolean>,
): Promise<number> {
  const over = new Map<string, Promise<boolean>>()
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
      if ((await known) && (await withdraw({ approvals }, approval))) withdrawn += 1
    }
    after = page.next
  } while (after !== undefined)
  return withdrawn
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
