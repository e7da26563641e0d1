import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Outcome, Pending } from '../../gate/outcome.ts'
import { RpcError, writtenAs } from '../protocol/message.ts'
import type { ListedTool } from '../upstream/catalog.ts'

/** Follows what a person asked. */
export const HOW_TO_ANSWER = 'countersign_answer with this id and the text does that.'

/** As much of a tool as an answer speaks of. */
type Shown = Pick<ListedTool, 'name' | 'tool' | 'listed'>

/** The card of one approval. A person who follows the link still has to sign in. */
export function cardOf(inbox: string, id: string): string {
  return new URL(`approvals/${encodeURIComponent(id)}`, inbox).href
}

export function textResult(text: string, isError: boolean, meta?: JsonObject): JsonObject {
  return {
    content: [{ type: 'text', text }],
    ...(isError ? { isError } : {}),
    ...(meta ? { _meta: meta } : {}),
  }
}

/** What the client gets for what became of its call. Throws what the server threw. */
export function resultOf(
  outcome: Outcome<JsonObject>,
  tool: Shown,
  /** Where people decide. */
  inbox: string | undefined,
): JsonObject {
  switch (outcome.status) {
    case 'succeeded':
      return succeeded(outcome)
    case 'failed':
      if (outcome.error instanceof RpcError) throw outcome.error
      return textResult(outcome.modelMessage, true, approvalMeta(outcome))
    case 'pending':
      return pending(outcome, tool, inbox)
    case 'unknown':
      return textResult(outcome.modelMessage, true, {
        ...approvalMeta(outcome),
        'countersign/status': outcome.status,
        'countersign/code': outcome.code,
      })
    default:
      return textResult(outcome.modelMessage, true, {
        ...approvalMeta(outcome),
        'countersign/code': outcome.code,
      })
  }
}

function succeeded(outcome: Outcome<JsonObject> & { status: 'succeeded' }): JsonObject {
  const { noResult, modelMessage, edited } = outcome
  if (noResult !== undefined || !isPlainObject(outcome.result)) {
    return textResult(modelMessage ?? 'The call succeeded.', false, approvalMeta(outcome))
  }
  const result = writtenAs(outcome.result)
  // The model asked for something else than what ran, so it must hear of it.
  if (!edited) return result
  const content: readonly Json[] = Array.isArray(result.content) ? result.content : []
  return { ...result, content: [...content, { type: 'text', text: edited.modelMessage }] }
}

/**
 * Not over, and not an error. A tool that promises structured results cannot answer without one
 * unless it is marked as an error: clients check.
 */
function pending(outcome: Pending, tool: Shown, inbox: string | undefined): JsonObject {
  const id = outcome.approval?.id ?? ''
  if (outcome.questions) {
    return textResult(`${outcome.modelMessage} ${HOW_TO_ANSWER}`, 'outputSchema' in tool.listed, {
      'countersign/status': 'pending',
      'countersign/approval': id,
    })
  }
  const where = inbox === undefined ? '' : ` They decide at ${cardOf(inbox, id)}.`
  const text =
    `The call to ${tool.tool} waits for a person to approve it (approval ${id}) and has not run.${where} ` +
    `Tell the user. countersign_wait with this id tells when there is an answer; after a yes, the ` +
    `same call to ${tool.name} with the same arguments runs it.`
  return textResult(text, 'outputSchema' in tool.listed, {
    'countersign/status': 'pending',
    'countersign/approval': id,
  })
}

function approvalMeta({ approval }: Outcome): JsonObject {
  return approval ? { 'countersign/approval': approval.id } : {}
}
