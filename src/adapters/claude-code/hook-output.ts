import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Answer } from '../coding-agents/agent.ts'

/**
 * What a hook prints. `undefined`: Countersign has no objection, and Claude Code's own rules and
 * questions hold as if there were no hook.
 */
export type HookOutput = JsonObject | undefined

/**
 * A person said yes, so there is no second question. Rules of Claude Code that deny still deny. The
 * arguments go with it also where they are unchanged: hooks run side by side, and another one that
 * was faster would otherwise put arguments in their place that no person was shown.
 */
export function allowed(reason: string, args: JsonObject): JsonObject {
  return decided('allow', { permissionDecisionReason: reason, updatedInput: args })
}

export function denied(reason: string): JsonObject {
  return decided('deny', { permissionDecisionReason: reason })
}

/** The run ends here, and the same call comes again when its session is resumed. */
export function deferred(): JsonObject {
  return decided('defer', {})
}

function decided(permissionDecision: 'allow' | 'deny' | 'defer', more: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } }
}

/** For the user. `id` is left out where the gate does not say it. */
export function approvedSentence(isEdited: boolean, id?: string): string {
  const by = `Approved by a person${id === undefined ? '' : ` (approval ${id})`}`
  return isEdited ? `${by} with other arguments than those asked for.` : `${by}.`
}

/** The same call joins the question that waits, so trying again later is right here. */
export function stillWaits(tool: string, id: string): JsonObject {
  return denied(
    `The call to ${tool} still waits for a person to approve it (approval ${id}) and has not run. Tell the user so and stop; when it was approved, the same call goes through.`,
  )
}

/** A person approved other arguments, and the agent cannot be told to run those. */
export function editNotTaken(tool: string, title: string, args: JsonObject): string {
  const wanted = JSON.stringify(args)
  const shown = wanted.length > 2_000 ? '' : `: ${wanted}`
  return `The call to ${tool} did not run: a person approved it with other arguments, and ${title} cannot run it with those. To do what was approved, call ${tool} with exactly these arguments${shown}. That call is asked about again.`
}

/** What a hook said, for printing in the words of another agent. */
export function answerOf(output: HookOutput): Answer {
  const { hookSpecificOutput: said } = output ?? {}
  if (!isPlainObject(said)) return undefined
  const reason = String(said.permissionDecisionReason)
  const { permissionDecision: decision, updatedInput } = said
  return decision === 'allow' && isPlainObject(updatedInput)
    ? { decision, reason, args: updatedInput as JsonObject }
    : { decision: 'deny', reason }
}
