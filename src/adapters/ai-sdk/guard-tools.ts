import type { Tool, ToolSet } from 'ai'
import type { JsonObject } from '../../base/json/json.ts'
import { CallBlocked } from '../../gate/call-blocked.ts'
import type { CodeWords } from '../../gate/declared/declarations.ts'
import { internals } from '../../gate/internals.ts'
import type { Outcome } from '../../gate/outcome.ts'
import type { ToolContext } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkAsking, checkForeign, checkOrigin, previewFor } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { rememberContext } from './gate-context.ts'
import {
  callOf,
  declaredFor,
  type Given,
  type GuardedTool,
  guardedBehind,
  pauses,
  remember,
  type ToolAsking,
} from './guarded-tool.ts'
import { type Notes, notesFor, withNotes } from './model-output.ts'
import { definitionOf, fitting, lastOf } from './tool-words.ts'

/**
 * The same tools, each behind the gate. The SDK's own pause only carries the question to the code
 * that resumes: whether a call runs is read from the approvals, each time, just before it would.
 */
export function guardTools<TOOLS extends ToolSet>(
  gate: ToolGate,
  tools: TOOLS,
  asking: ToolAsking,
): TOOLS {
  checkAsking(gate, asking)
  const entries = Object.entries(tools).map(([name, tool]) => {
    // What is guarded already is guarded anew: under the old run it would go by the old one's yes.
    const before = guardedBehind(tool)
    const own = before?.tool ?? (tool as Tool)
    return [name, guarded(gate, name, own, askedAgain(before, asking))] as const
  })
  // The SDK looks names up as own properties; a model may call one of them `__proto__`.
  return Object.fromEntries(entries) as TOOLS
}

/** Where a tool comes from is said once: without it the rules of its server would not reach it. */
function askedAgain(before: GuardedTool | undefined, asking: ToolAsking): ToolAsking {
  if (before) checkOrigin(before.name, before.asking.server, asking.server)
  const server = asking.server ?? before?.asking.server
  return server === undefined ? asking : { ...asking, server }
}

function guarded(gate: ToolGate, name: string, tool: Tool, asking: ToolAsking): Tool {
  const { execute } = tool
  const { mode = 'suspend', waitFor, run, server } = asking
  if (!execute) {
    checkForeign(gate, name, server)
    return tool
  }
  const definition = () => definitionOf(tool)
  const known = definition()
  if (server === undefined && !(known instanceof Promise)) {
    gate[internals].tool(name, known, declaredWords(tool))
  }
  const own: GuardedTool = { gate, name, asking, definition, tool }
  const notes = notesFor(gate, run, name)

  type Options = Parameters<typeof execute>[1]

  async function guardedExecute(input: unknown, options: Options): Promise<unknown> {
    const now = definition()
    const start = async (args: JsonObject, context: ToolContext) => {
      const { edited, signal } = context
      const given = edited ? await fitting(tool, name, args) : args
      const own = { ...options, abortSignal: signal ?? options.abortSignal } as Options
      rememberContext(own, context)
      return lastOf(await execute?.call(tool, given as never, own))
    }
    const { toolCallId, abortSignal: signal } = options
    const declared = await declaredFor(own, input, options as Given)
    const outcome = await gate.run(
      callOf(own, input, toolCallId),
      {
        name,
        definition: now instanceof Promise ? await now : now,
        run: start,
        ...previewFor(asking, name),
      },
      mode === 'block' ? { signal, declared, waitFor } : { signal, declared, wait: false },
    )
    return resultOf(outcome, toolCallId, notes)
  }

  const wrapped = {
    ...tool,
    needsApproval:
      mode === 'block' ? false : (input: unknown, given: Given) => pauses(own, input, given),
    execute: guardedExecute,
    toModelOutput: withNotes(tool.toModelOutput, notes),
  } as Tool
  remember(wrapped, own)
  return wrapped
}

/** What the author wrote in the SDK's own words, for people to see. */
function declaredWords({ needsApproval }: Tool): { readonly declared?: CodeWords } {
  if (needsApproval === undefined) return {}
  return typeof needsApproval === 'function'
    ? { declared: { words: { approval: true }, byFunction: true } }
    : { declared: { words: { approval: needsApproval } } }
}

/** The tool's own result, or throws: what else the model should know is kept beside it. */
function resultOf(outcome: Outcome, toolCallId: string, notes: Notes): unknown {
  switch (outcome.status) {
    case 'succeeded': {
      const { modelMessage, result } = outcome
      if (outcome.noResult !== undefined) throw new CallBlocked(outcome)
      if (modelMessage !== undefined) notes.add(toolCallId, modelMessage)
      return result
    }
    case 'failed':
      throw failureOf(outcome)
    default:
      throw new CallBlocked(outcome)
  }
}
