import type { JsonObject } from '../../base/json/json.ts'

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
