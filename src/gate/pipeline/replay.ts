import type { Approval } from '../../approval/approval.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { askedBackOf } from '../content/asked-back.ts'
import { editedBefore, payloadOf, wordsOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import {
  blocked,
  type NoResult,
  type Outcome,
  pending,
  type Succeeded,
  unknown,
} from '../outcome.ts'
import { lostBecause, sentence } from '../sentences.ts'

/** All that is needed to tell how something ended. */
type Kept = Pick<GateContext, 'store'>

/** What became of an approval, for a caller who does not run it: now or before. */
export async function outcomeOf(core: Kept, approval: Approval): Promise<Outcome> {
  const { status, reason, execution, call } = approval
  const { tool } = call
  if (execution) return executed(core, approval)
  switch (status) {
    case 'pending':
    case 'approved':
      return pending({ id: approval.id, tool, approval }, await askedBackOf(core, approval))
    case 'denied': {
      const words = await wordsOf(core, approval)
      return blocked('denied', {
        tool,
        approval,
        ...words,
        ...(words.answer ? { as: 'answered' } : {}),
      })
    }
    case 'expired':
      return blocked('expired', {
        tool,
        approval,
        as: reason === 'unused' ? 'unused' : 'undecided',
      })
    case 'withdrawn':
      return blocked('withdrawn', { tool, approval })
    case 'invalidated':
      return blocked('invalidated', { tool, approval, reason: lostBecause(approval) })
  }
}

async function executed(core: Kept, approval: Approval): Promise<Outcome> {
  const { execution, call, id } = approval
  const { tool } = call
  switch (execution?.state) {
    case 'succeeded':
      return {
        ...(await noted(core, approval, await storedResult(core, approval))),
        ...(await payloadOf(core, approval)),
        approvalId: id,
        approval,
        replayed: true,
      }
    case 'failed': {
      const error = (await storedResult(core, approval)).result
      const reason = isPlainObject(error) ? String(error.message ?? '') : undefined
      if (isPlainObject(error) && error.code === 'not_started') {
        return blocked('not_started', { tool, approval })
      }
      const modelMessage = sentence('failed', { tool, id, reason })
      const payload = await payloadOf(core, approval)
      return {
        status: 'failed',
        ran: true,
        error,
        modelMessage,
        approvalId: id,
        approval,
        ...payload,
        replayed: true,
      }
    }
    case 'unknown':
      return unknown('outcome_unknown', { id, tool, approval })
    default:
      return unknown('already_claimed', { id, tool, approval })
  }
}

/** A reader of the stored result has to know as well that people changed the call. */
async function noted(core: Kept, approval: Approval, stored: Stored): Promise<Stored> {
  const edited = await editedBefore(core, approval)
  if (!edited) return stored
  const messages = [edited.modelMessage, stored.modelMessage].filter(Boolean)
  return { ...stored, edited, modelMessage: messages.join(' ') }
}

type Stored = Omit<Succeeded, 'approval' | 'replayed'>

async function storedResult({ store }: Kept, { id, call, execution }: Approval): Promise<Stored> {
  const kept = execution?.result
  const found = kept && (await store.content(id, ['result'])).find(({ key }) => key === kept)
  if (found) return { status: 'succeeded', ran: true, result: found.value as unknown } as const
  // A tool that returns nothing has nothing to keep; that is a result, not a missing one.
  const noResult: NoResult | undefined = execution?.noResult ?? (kept ? 'erased' : undefined)
  const lost = noResult ? { noResult, modelMessage: sentence('done', { tool: call.tool, id }) } : {}
  return { status: 'succeeded', ran: true, result: undefined as unknown, ...lost } as const
}
