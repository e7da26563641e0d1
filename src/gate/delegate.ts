import type { Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'

/** A sub-agent by its alias, or one skill of a remote agent. */
export type Delegate = string | { readonly agent: string; readonly skill: string }

export interface DelegateOptions {
  /**
   * What the delegating agent was given itself: rules read it as `parent.input.<key>`. Without it
   * such rules ask.
   */
  readonly parent?: JsonObject
}

/**
 * The call that asks about handing work over. What the other one calls is asked about by itself.
 * Without `parent` the input of the delegating agent is unknown, and rules that read it ask: the
 * arguments do not stand in for it, because the model wrote them.
 */
export function delegation(to: Delegate, args: JsonObject, parent: JsonObject | undefined): Call {
  if (typeof to === 'string') {
    return { kind: 'agent', tool: to, args, ...(parent ? { parent: { input: parent } } : {}) }
  }
  if (typeof to?.agent !== 'string' || typeof to?.skill !== 'string') {
    throw new CountersignError('usage', 'a delegation names no agent', {
      hint: 'Pass the alias of the sub-agent, or { agent, skill } for a skill of a remote agent.',
    })
  }
  return { kind: 'skill', server: to.agent, tool: to.skill, args }
}

export function delegateName(to: Delegate): string {
  return typeof to === 'string' ? to : to.skill
}
