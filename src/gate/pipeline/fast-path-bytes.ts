import type { Call } from '../../base/call.ts'
import { CANONICAL_LIMITS, type CanonicalLimits, canonicalJson } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Snapshot } from '../content/arguments.ts'
import type { GateContext } from '../context.ts'
import type { CallerIdentity } from '../identity.ts'
import { emitAllowed } from '../listeners.ts'
import type { ToolDefinition } from '../tool.ts'
import { createQuick } from './fast-path.ts'

/*
 * The short way for doors that send calls on as bytes. As with all short ways: it answers only
 * where the full pipeline would allow the call, with the text it would write, and is silent
 * otherwise. Nothing is awaited, so what was judged is what leaves.
 */
/** Without `definition`: silent where this gate registered one under the tool's name. */
export type AllowedBytes = (call: Call, definition?: ToolDefinition) => Snapshot | undefined

export function createAllowedBytes(core: GateContext, caller: CallerIdentity): AllowedBytes {
  // Both are looked at here.
  const quick = createQuick({ ...core, validate: undefined, telemetry: undefined }, caller)
  const { validate, listeners, policy, telemetry, registry } = core

  function filled(args: JsonObject, inputSchema: ToolDefinition['inputSchema']) {
    return validate === undefined || inputSchema === undefined
      ? args
      : validate.fill?.(inputSchema, args)
  }

  return (call, definition) => {
    // Listeners and tracers see calls through the full path.
    if (telemetry && telemetry.isHeard !== false) return undefined
    if (listeners.has('evaluated') || listeners.has('finished')) return undefined
    try {
      if (definition === undefined && registry.definitionOf(caller, call)) return undefined
      const args = filled(call.args, definition?.inputSchema)
      if (args === undefined) return undefined
      if (!quick.allows(args === call.args ? call : { ...call, args })) return undefined
      const { argsBytes = CANONICAL_LIMITS.bytes, argsDepth = CANONICAL_LIMITS.depth } =
        policy().owner.limits
      const limits = {
        bytes: Math.min(argsBytes, CANONICAL_LIMITS.bytes),
        depth: Math.min(argsDepth, CANONICAL_LIMITS.depth),
      }
      const text = inOrder(args, limits) ?? canonicalJson(args, limits)
      emitAllowed(listeners, call, caller.agent)
      return { args, text }
    } catch {
      // A schema that cannot be used, values without canonical bytes: the full pipeline says which.
      return undefined
    }
  }
}

const SHORT = 4_096

/** Parsed values whose keys stand in order are canonical as `JSON.stringify` writes them. */
function inOrder(args: JsonObject, { bytes, depth }: CanonicalLimits): string | undefined {
  const ordered = orderedObject(args, depth)
  if (ordered === undefined) return undefined
  const text = JSON.stringify(ordered)
  // Far below every limit: a character takes three bytes at most, and a key is more than one.
  const isShort = text.length <= SHORT && text.length * 3 <= bytes
  // Half of a surrogate pair is written like that; it has no canonical form.
  return isShort && !text.includes('\\ud') ? text : undefined
}

/** The value itself where its keys stand in order, else a copy in which they do. */
function ordered(value: Json, depth: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return orderedObject(value as JsonObject, depth)
  if (depth === 0) return undefined
  let copy: Json[] | undefined
  for (let index = 0; index < value.length; index++) {
    const item = value[index] as Json
    const own = ordered(item, depth - 1)
    if (own === undefined) return undefined
    if (own === item) continue
    copy ??= [...value]
    copy[index] = own
  }
  return copy ?? value
}

function orderedObject(object: JsonObject, depth: number): JsonObject | undefined {
  if (depth === 0) return undefined
  const keys = Object.keys(object)
  let isSame = true
  for (let index = 1; index < keys.length && isSame; index++) {
    isSame = (keys[index - 1] as string) < (keys[index] as string)
  }
  if (!isSame) keys.sort()
  const copy: Record<string, Json> = {}
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    // Members that are called as numbers come first in every object, and this one is no member.
    if (isDigit(key.charCodeAt(0)) || key === '__proto__') return undefined
    const value = object[key] as Json
    const own = ordered(value, depth - 1)
    if (own === undefined) return undefined
    if (own !== value) isSame = false
    copy[key] = own
  }
  return isSame ? object : copy
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
