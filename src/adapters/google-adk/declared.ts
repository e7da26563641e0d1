import type { BaseTool } from '@google/adk'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { isA } from './tool-words.ts'

type Asks = (args: JsonObject) => boolean | PromiseLike<boolean>

/** Agents of one tree may have tools of one name. A later one must not loosen an earlier one. */
const declared = new WeakMap<AnyGate, Map<string, Set<Asks>>>()

const ALWAYS: Asks = () => true

/**
 * What the author wrote as `requireConfirmation` is a declaration like any other. The SDK does not
 * tell a `false` from nothing written at all, so a no leaves it to the files.
 */
export function declareTool(gate: AnyGate, name: string, tool: BaseTool): void {
  const { requireConfirmation } = tool as { readonly requireConfirmation?: unknown }
  if (!isA('functionTool', tool) || typeof requireConfirmation === 'function') {
    // It gets the arguments and no context: whoever resumes could not give the same one again.
    declareAsks(gate, name, (args) => tool.checkRequireConfirmation({ ...args }))
  } else if (requireConfirmation === true) declareAsks(gate, name, ALWAYS)
}

/** Every call of this tool asks, whatever else says so or not. */
export function declareAlways(gate: AnyGate, name: string): void {
  declareAsks(gate, name, ALWAYS)
}

function declareAsks(gate: AnyGate, name: string, asks: Asks): void {
  const tools = declared.get(gate) ?? new Map<string, Set<Asks>>()
  declared.set(gate, tools)
  const all = tools.get(name) ?? new Set<Asks>()
  tools.set(name, all)
  if (all.has(asks) || all.has(ALWAYS)) return
  all.add(asks)
  if (asks === ALWAYS) gate.declare(name, { approval: true })
  else {
    const each = [...all]
    const approval = async (args: JsonObject) => {
      for (const one of each) if (await one(args)) return true
      return false
    }
    gate.declare(name, { otherwise: 'files', approval })
  }
}
