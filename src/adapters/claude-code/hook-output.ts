import type { JsonObject } from '../../base/json.ts'

/**
 * What a hook prints. `undefined`: Countersign has no objection, and Claude Code's own rules and
 * questions hold as if there were no hook.
 */
export type HookOutput = JsonObject | undefined

/** A person said yes, so nobody is asked a second time. Rules of Claude Code that deny still deny. */
export function allowed(reason: string, changed: JsonObject | undefined): HookOutput {
  return decided('allow', reason, changed ? { updatedInput: changed } : {})
}

export function denied(reason: string): HookOutput {
  return decided('deny', reason, {})
}

function decided(decision: 'allow' | 'deny', reason: string, more: JsonObject): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
      ...more,
    },
  }
}
