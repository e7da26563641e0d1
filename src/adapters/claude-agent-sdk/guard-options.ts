import { isPlainObject } from '../../base/json/json.ts'
import { blocked } from '../../gate/outcome.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { denied } from '../claude-code/hook-output.ts'
import { type GuardHooks, guardHooks, type SessionAsking } from './guard-hooks.ts'
import type { HookCallback, HookMatcher, QueryOptions } from './sdk-types.ts'

/**
 * The options of a query, with hooks that ask before any of its tools runs. Hooks that were there
 * stay, and are asked as well.
 */
export function guardOptions<O extends object>(
  gate: ToolGate,
  options: O,
  asking: SessionAsking = {},
): O {
  return withHooks(options, guardHooks(gate, asking))
}

/** Every matcher of ours. */
const made = new WeakSet<object>()

export function withHooks<O extends object>(options: O, { hooks: ours }: GuardHooks): O {
  const theirs = (options as QueryOptions).hooks ?? {}
  const hooks: Record<string, HookMatcher[]> = {}
  for (const event of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    // Options that are guarded again belong to the new run: the hooks of the old one go.
    const others = (theirs[event] ?? []).filter((matcher) => !made.has(matcher))
    const kept = event === 'PreToolUse' ? others.map(withoutRewriting) : others
    const own = ours[event]
    if (own) made.add(own)
    hooks[event] = own ? [...kept, own] : kept
  }
  return { ...options, hooks }
}

/** Hooks run side by side: what another one puts into the arguments was not judged. */
function withoutRewriting(matcher: HookMatcher): HookMatcher {
  return { ...matcher, hooks: matcher.hooks.map(checked) }
}

function checked(callback: HookCallback): HookCallback {
  return async (input, toolUseId, options) => {
    const output = await callback(input, toolUseId, options)
    const { hookSpecificOutput: said } = output as { readonly hookSpecificOutput?: unknown }
    if (!isPlainObject(said) || said.updatedInput === undefined) return output
    const { tool_name: tool } = input as { readonly tool_name?: unknown }
    const reason =
      'Another PreToolUse hook changes its arguments, and no person would have seen those. Let the tool change them, or remove that hook'
    return denied(blocked('not_permitted', { tool: String(tool), reason }).modelMessage)
  }
}
