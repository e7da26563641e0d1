import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Gate } from '../../gate/gate.ts'
import { internals } from '../../gate/internals.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { endedBy } from '../../gate/pipeline/ended-by.ts'
import type { Request } from '../protocol/message.ts'
import type { Answer, Begun } from '../protocol/peer.ts'
import type { ListedTool } from '../upstream/catalog.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { resultOf } from './call-result.ts'
import { CALL_MS, logCall, unanswered } from './tool-call.ts'

export interface QuickCalls {
  readonly gate: Gate
  readonly used?: ((server: string, tool: string) => void) | undefined
  /** A tool that was listed and has not changed since, as far as is known. */
  known(name: string): ListedTool | undefined
  /** Its server, while it is connected. */
  live(server: string): Upstream | undefined
  log(line: string): void
}

/*
 * Most calls need no approval, and then a gateway should cost little more than the pipe it stands
 * in. So a call that certainly needs none leaves in the same turn of the event loop in which it
 * came: no promise, no timer of a wait, its arguments written once. Undefined where there is
 * anything else about it; then `callTool` does all of it. Nothing is sent here that it would not
 * send.
 */
export function quickCall(
  calls: QuickCalls,
  { method, params }: Request,
  answer: Answer,
): Begun | undefined {
  if (method !== 'tools/call' || !params || params._meta !== undefined) return undefined
  const { name, arguments: given = {} } = params
  if (typeof name !== 'string' || !isPlainObject(given)) return undefined
  const tool = calls.known(name)
  if (!tool || tool.held !== undefined) return undefined
  const upstream = calls.live(tool.server)
  const { server, tool: called } = tool
  const asked = { tool: called, server, args: given as JsonObject }
  const allowed = upstream?.begin && calls.gate[internals].allowedBytes(asked, tool.definition)
  if (!allowed) return undefined
  const started = performance.now()
  const sent = upstream.begin?.(
    method,
    { name: called, arguments: allowed.args },
    (end) => {
      const isError = end instanceof Error
      const outcome = isError ? endedBy(called, unanswered(end)) : SUCCEEDED
      if (isError) answerFailed(outcome, tool, answer)
      else {
        const { result, text } = upstream.shown(end)
        answer(result, text)
      }
      // After the answer: the caller does not wait for the log.
      logCall(calls.log, tool, outcome, started)
    },
    {
      timeout: CALL_MS,
      written: `{"name":${JSON.stringify(called)},"arguments":${allowed.text}}`,
    },
  )
  if (sent) calls.used?.(server, called)
  return sent
}

const SUCCEEDED: Outcome<JsonObject> = { status: 'succeeded', ran: true, result: {} }

function answerFailed(outcome: Outcome<JsonObject>, tool: ListedTool, answer: Answer): void {
  try {
    answer(resultOf(outcome, tool, undefined))
  } catch (error) {
    answer(error as Error)
  }
}
