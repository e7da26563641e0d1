import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Gate } from '../../gate/gate.ts'
import { internals } from '../../gate/internals.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { endedBy } from '../../gate/pipeline/ended-by.ts'
import { PROOF_KEY } from '../../gate/proof/mcp-keys.ts'
import { passedOn } from '../protocol/envelope.ts'
import type { Request } from '../protocol/message.ts'
import type { Answer, Begun, Notify } from '../protocol/peer.ts'
import type { ListedTool } from '../upstream/catalog.ts'
import type { Serving } from '../upstream/server-requests.ts'
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

/** What a call may need of its client before it is answered. */
export interface QuickClient {
  readonly notify: Notify
  /** Where the server's questions about this call can be told from those about others. */
  serve?(server: string): Serving
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
  client: QuickClient,
): Begun | undefined {
  if (method !== 'tools/call' || !params) return undefined
  const { name, arguments: given = {} } = params
  const said = saidBy(params._meta)
  if (typeof name !== 'string' || !isPlainObject(given) || !said) return undefined
  const tool = calls.known(name)
  if (!tool || tool.held !== undefined) return undefined
  const upstream = calls.live(tool.server)
  const { server, tool: called } = tool
  const asked = { tool: called, server, args: given as JsonObject }
  const allowed = upstream?.begin && calls.gate[internals].allowedBytes(asked, tool.definition)
  if (!allowed) return undefined
  const started = performance.now()
  const serving = client.serve?.(server)
  const { kept, token } = said
  const sent = upstream.begin?.(
    method,
    { name: called, arguments: allowed.args, ...(kept ? { _meta: kept } : {}) },
    (end) => {
      serving?.over()
      const isError = end instanceof Error
      const outcome = isError ? endedBy(called, unanswered(end)) : SUCCEEDED
      if (isError) answerFailed(outcome, tool, answer)
      else {
        const { result, text } = upstream.shown(end)
        answer(result, text)
      }
      logCall(calls.log, tool, outcome, started)
    },
    {
      timeout: CALL_MS,
      written: (id) =>
        `{"name":${JSON.stringify(called)},"arguments":${allowed.text}${metaText(said, id)}}`,
      onAsk: serving?.onAsk,
      ...(token === undefined
        ? {}
        : {
            onProgress: (told) =>
              client.notify('notifications/progress', { ...told, progressToken: token }),
          }),
    },
  )
  if (sent) calls.used?.(server, called)
  else serving?.over()
  return sent
}

interface Said {
  /** What goes on to the server. */
  readonly kept: JsonObject | undefined
  /** Under which the client wants to hear of progress. */
  readonly token: string | number | undefined
}

const NOTHING: Said = { kept: undefined, token: undefined }

/** What `_meta` says that concerns the call; undefined where more than this is needed for it. */
function saidBy(meta: Json | undefined): Said | undefined {
  if (meta === undefined) return NOTHING
  // A countersignature of another gate is verified and consumed by the full pipeline.
  if (!isPlainObject(meta) || meta[PROOF_KEY] !== undefined) return undefined
  const { progressToken: token } = meta
  const isToken = token === undefined || typeof token === 'string' || typeof token === 'number'
  return isToken ? { kept: passedOn(meta as JsonObject), token } : undefined
}

/** The end of the parameters: `_meta` with a token of ours in the place of the client's. */
function metaText({ kept, token }: Said, id: number): string {
  if (token !== undefined) return `,"_meta":${JSON.stringify({ ...kept, progressToken: id })}`
  return kept ? `,"_meta":${JSON.stringify(kept)}` : ''
}

const SUCCEEDED: Outcome<JsonObject> = { status: 'succeeded', ran: true, result: {} }

function answerFailed(outcome: Outcome<JsonObject>, tool: ListedTool, answer: Answer): void {
  try {
    answer(resultOf(outcome, tool, undefined))
  } catch (error) {
    answer(error as Error)
  }
}
