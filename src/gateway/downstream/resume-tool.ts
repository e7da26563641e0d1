import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { sentence } from '../../gate/sentences.ts'
import type { ToolContext } from '../../gate/tool.ts'
import type { Store } from '../../store/store.ts'
import { RPC, RpcError } from '../protocol/message.ts'
import type { ListedTool } from '../upstream/catalog.ts'
import { resultOf, textResult } from './call-result.ts'
import type { Client } from './client.ts'
import { type Confirmed, LEFT_OPEN, logCall, sendOn, type ToolCalls } from './tool-call.ts'

/** A yes that cannot be used just now, because the tool is not there. Later it may be. */
export class NotThere extends Error {
  override readonly name = 'NotThere'
}

/**
 * Goes on with a call that was asked about before, perhaps by a process that is gone: waits for the
 * decision, and runs what was approved. Asks nothing anew.
 */
export async function resumeTool(
  calls: ToolCalls & { readonly store: Store },
  id: string,
  findTool: (approval: Approval) => Promise<ListedTool | undefined>,
  client: Client,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { gate, store, log } = calls
  const started = performance.now()
  const approval = await decided(store, id, client, signal)
  if (signal.aborted && approval.status === 'pending') {
    if (signal.reason !== LEFT_OPEN) {
      await gate.approvals.withdraw(id, { agent: approval.call.agent }).catch(() => {})
    }
    return resultOf(
      await gateOutcome(() => gate.resume(id, [none(approval)])),
      shown(approval),
      undefined,
    )
  }
  const isToRun = approval.status === 'approved' && !approval.execution
  const tool = isToRun ? await findTool(approval) : undefined
  if (isToRun && !tool) throw new NotThere(`${approval.call.tool} is not there now`)
  if (tool?.held !== undefined) {
    const text = sentence('quarantined', { tool: tool.tool, reason: tool.held })
    return textResult(text, true, { 'countersign/code': 'quarantined' })
  }
  let on: Confirmed | undefined
  const runs = tool && {
    name: tool.tool,
    definition: tool.definition,
    definitionNow: async () => {
      on = await calls.confirm(tool)
      return on.definition
    },
    run: (args: JsonObject, context: ToolContext) =>
      sendOn(calls, tool, { args, meta: undefined, context, on }, client),
  }
  const outcome = await gateOutcome(() =>
    gate.resume(id, [runs ?? none(approval)] as never, { signal }),
  )
  if (tool) logCall(log, tool, outcome, started)
  return resultOf(outcome, tool ?? shown(approval), undefined)
}

async function decided(
  store: Store,
  id: string,
  client: Client,
  signal: AbortSignal,
): Promise<Approval> {
  let approval = await store.get(id)
  if (!approval) throw new RpcError(RPC.invalidParams, 'there is no such task')
  if (approval.status === 'pending') client.onPending?.(approval)
  try {
    while (approval.status === 'pending' && !signal.aborted) {
      approval = await store.waitFor(id, approval.revision, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return approval
}

async function gateOutcome(work: () => Promise<Outcome>): Promise<Outcome<JsonObject>> {
  try {
    return (await work()) as Outcome<JsonObject>
  } catch (error) {
    if (!isCountersignError(error)) throw error
    throw new RpcError(RPC.invalidParams, 'there is no such task')
  }
}

/** For what is over: nothing is run. */
function none({ call }: Approval) {
  return {
    name: call.tool,
    run: () => Promise.reject(new Error('nothing runs here')),
  }
}

function shown({ call }: Approval) {
  return { name: call.tool, tool: call.tool, listed: {} }
}
