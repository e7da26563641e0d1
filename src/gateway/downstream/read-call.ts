import type { JsonObject } from '../../base/json/json.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { RPC, RpcError, writtenAs } from '../protocol/message.ts'
import type { Connections } from '../upstream/connections.ts'
import type { DeclaredEffects, Readable } from '../upstream/declared-effects.ts'
import type { ServerRequests } from '../upstream/server-requests.ts'
import { cardOf, HOW_TO_ANSWER } from './call-result.ts'
import type { Client } from './client.ts'
import type { SessionOptions } from './session-options.ts'
import { type Confirmed, runCall, type ToolCalls } from './tool-call.ts'

/** A read that asks people. */
export interface Read extends Readable {
  readonly method: string
  /** What the server gets, and what people see. */
  readonly args: JsonObject
  readonly meta: JsonObject | undefined
}

export interface ReadParts {
  readonly connections: Connections
  readonly requests: ServerRequests
  readonly effects: DeclaredEffects
}

/**
 * One `resources/read`, `resources/subscribe` or `prompts/get` that asks: the same steps as a call to
 * a tool, with the method in the place of the tool. Only a result is a result here; everything else
 * is an error, because these answers have no room for words to a model.
 */
export async function callRead(
  options: SessionOptions,
  { connections, requests, effects }: ReadParts,
  read: Read,
  client: Client,
  cancelled: AbortSignal,
): Promise<JsonObject> {
  const { server, method, args, meta } = read
  const { risk, definition } = await effects.of(read)
  const calls: ToolCalls = {
    ...options,
    // Not a tool that was used.
    used: () => {},
    watch: () => () => {},
    gateOf: () => undefined,
    async confirm(): Promise<Confirmed> {
      const connection = await connections.get(server)
      if (!connection) return { definition, connection }
      try {
        return { definition: (await effects.again(connection, read)).definition, connection }
      } catch {
        options.log(`${server} did not say again what ${method} gives`)
        return { definition, connection: undefined }
      }
    },
    request: (to, _, { arguments: approved, _meta }, how, by) =>
      requests.request(
        to,
        method,
        { ...(approved as JsonObject), ...(_meta === undefined ? {} : { _meta }) },
        how,
        by,
      ),
  }
  const asTool = {
    name: method,
    tool: method,
    server,
    listed: {},
    definition,
    headers: [],
    risk: risk ?? ('L0' as const),
    claims: risk,
    held: undefined,
    isRead: true as const,
  }
  const { outcome, hopeless } = await runCall(calls, asTool, { args, meta }, client, cancelled)
  if (hopeless !== undefined) throw refused(method, 'no_eligible_approver', hopeless)
  const inbox = outcome.status === 'pending' ? await options.inbox(outcome.approval) : undefined
  return readResult(method, outcome, inbox)
}

function readResult(
  method: string,
  outcome: Outcome<JsonObject>,
  inbox: string | undefined,
): JsonObject {
  const id = outcome.approval?.id
  switch (outcome.status) {
    case 'succeeded': {
      const { result, noResult, modelMessage, edited } = outcome
      if (noResult !== undefined || typeof result !== 'object' || result === null) {
        const why = modelMessage ?? 'It was read before, and what it gave is not kept.'
        throw refused(method, noResult ?? 'no_result', why, id)
      }
      const given = writtenAs(result)
      if (!edited) return given
      const meta = typeof given._meta === 'object' ? (given._meta as JsonObject) : {}
      return { ...given, _meta: { ...meta, 'countersign/edited': edited.modelMessage } }
    }
    case 'failed':
      if (outcome.error instanceof RpcError) throw outcome.error
      throw refused(method, 'failed', outcome.modelMessage, id)
    case 'pending': {
      const where =
        inbox === undefined || id === undefined ? '' : ` They decide at ${cardOf(inbox, id)}.`
      const why = outcome.questions
        ? `${outcome.modelMessage} ${HOW_TO_ANSWER}`
        : `It waits for a person to approve it (approval ${id}) and was not sent.${where} Tell the user. After a yes, the same request reads it.`
      throw refused(method, 'pending', why, id, { 'countersign/status': 'pending' })
    }
    default:
      throw refused(method, outcome.code, outcome.modelMessage, id)
  }
}

function refused(
  method: string,
  code: string,
  why: string,
  approval?: string,
  more: JsonObject = { 'countersign/code': code },
): RpcError {
  return new RpcError(RPC.refused, `${method} was refused (${code}): ${why}`, {
    ...more,
    ...(approval === undefined ? {} : { 'countersign/approval': approval }),
  })
}
