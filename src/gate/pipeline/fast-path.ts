import { type AgentName, type Call, isRisk } from '../../base/call.ts'
import { isSafeNumber } from '../../base/json/canonical.ts'
import { isPolluted, KEYS, MAX_TEXT, NAME } from '../../policy/call.ts'
import { ANNOTATED, type SettledMode } from '../../policy/evaluate/mode.ts'
import type { Policy } from '../../policy/policy.ts'
import { isAmong, type LockCopy } from '../admin/operator-state.ts'
import type { GateContext } from '../context.ts'
import type { CallDeclaration } from '../declared/declarations.ts'
import type { CallerIdentity } from '../identity.ts'

/*
 * Most calls are allowed, and being allowed should cost next to nothing: no promise, no copy, no
 * canonical bytes. This says yes only where the full pipeline would say yes too, and is silent
 * otherwise; then the full pipeline finds out why. Judging and starting happen in the same turn of the
 * event loop, so nothing can change the arguments in between.
 */
export interface Quick {
  /** For a call put together elsewhere: everything about it is checked. */
  allows(call: Call, declared?: CallDeclaration): boolean
  /** For a call put together here, under a name that was checked: its arguments alone are foreign. */
  allowsOwn(call: Call, declared?: CallDeclaration): boolean
}

// Names come from models: without a bound, inventing names would fill the memory.
const MAX_NAMES = 10_000
const MAX_DEPTH = 64

const KNOWN: ReadonlySet<string> = new Set(KEYS)

const NEVER: Quick = { allows: () => false, allowsOwn: () => false }

export function createQuick(
  { validate, authorize, policy, telemetry, locks, asked }: GateContext,
  { mode, agent, principal, run }: CallerIdentity,
): Quick {
  if (validate || authorize || telemetry || mode.kind === 'custom') return NEVER
  // What the rules would have asked about has to be recorded, and only the full pipeline does.
  const settled: SettledMode = mode.kind === 'observe' ? ANNOTATED : mode
  const names = new Set<string>()
  /** Under these rules, as of that list, no other rules ever asked. */
  let calm: { rules?: Policy; asked?: LockCopy['asked'] } = {}

  function isName(tool: unknown): boolean {
    if (names.has(tool as string)) return true
    if (typeof tool !== 'string' || !NAME.test(tool)) return false
    if (names.size < MAX_NAMES) names.add(tool)
    return true
  }

  /** Nothing that the gate says otherwise, and nothing that would have to be compared. */
  function agrees(call: Call): boolean {
    if (agent !== undefined && call.agent !== undefined) return false
    if (principal !== undefined && call.principal !== undefined) return false
    return run === undefined || call.run === undefined || call.run === run
  }

  /** Where other rules asked about this tool, people may have decided about this very call. */
  function isUnasked(rules: Policy, call: Call): boolean {
    if (locks.asked.length === 0) return true
    if (rules === calm.rules && locks.asked === calm.asked) return true
    const others = asked.others(rules, mode.kind)
    if (others === undefined) return false
    if (others.size > 0) return !isAmong(others, call)
    calm = { rules, asked: locks.asked }
    return true
  }

  function allowsOwn(call: Call, declared?: CallDeclaration): boolean {
    // What a function decided may have been asked about before: the full pipeline looks it up.
    if (declared?.byFunction || isPolluted()) return false
    try {
      const { args } = call
      const rules = declared === undefined ? policy() : policy({ tool: call.tool, declared })
      return (
        locks.isClear &&
        // A decision point is asked over the network.
        rules.pdps.length === 0 &&
        isObject(args) &&
        areSafe(args, MAX_DEPTH) &&
        rules.level(call, settled) === 0 &&
        isUnasked(rules, call)
      )
    } catch {
      // Reading hostile arguments can throw; the full pipeline says so in a sentence.
      return false
    }
  }

  return {
    allows: (call, declared) =>
      isName(call.tool) &&
      isShaped(call) &&
      agrees(call) &&
      allowsOwn(agent === undefined ? call : withAgent(call, agent), declared),
    allowsOwn,
  }
}

function withAgent({ kind, tool, server, risk, args, parent }: Call, agent: AgentName): Call {
  return { kind, tool, server, agent, risk, args, parent } as Call
}

/** Anything unusual is left to the full pipeline, which says what is wrong with it. */
function isShaped(call: Call): boolean {
  for (const key in call) if (!KNOWN.has(key)) return false
  const { agent, principal, run, key, risk, parent, context, form } = call
  if (!isText(agent) || !isText(principal) || !isText(run) || !isText(key)) return false
  if (risk !== undefined && !isRisk(risk)) return false
  if (context !== undefined && !isObject(context)) return false
  if (form !== undefined) return false
  if (parent !== undefined && !(isObject(parent) && isObject(parent.input))) return false
  return isServed(call)
}

/** A delegation has no server, a skill has one, a tool may have. */
function isServed({ kind = 'tool', server }: Call): boolean {
  if (server === undefined) return kind === 'tool' || kind === 'agent'
  return server !== '' && isText(server) && (kind === 'tool' || kind === 'skill')
}

function isText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.length <= MAX_TEXT)
}

function isObject(args: unknown): args is object {
  return typeof args === 'object' && args !== null && !Array.isArray(args)
}

/** No number that two readers could understand differently, at any depth. */
function areSafe(value: object, depth: number): boolean {
  if (depth === 0) return false
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (typeof member === 'number') {
      if (!isSafeNumber(member)) return false
    } else if (typeof member === 'object' && member !== null && !areSafe(member, depth - 1)) {
      return false
    }
  }
  return true
}
