import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import {
  type CallDeclaration,
  type CodeDeclaration,
  readDeclaration,
} from '../../gate/declarations.ts'
import { resultOrSentence } from '../../gate/guard.ts'
import { refusal } from '../../gate/outcome.ts'
import type { ToolContext, ToolDefinition } from '../../gate/tool.ts'
import { resolveDeclared } from '../resolve-declared.ts'
import { type ArgumentSchema, checkerOf, schemaOf } from '../schema.ts'

/** `approval`, `risk` and the rest as in policy files; `approval` may be a function instead. */
export interface GuardOptions extends CodeDeclaration {
  readonly name: string
  /** Of the arguments: JSON Schema, or what zod, valibot and others make. The latter also checks. */
  readonly schema?: ArgumentSchema
  /** A line for the approver about this call. Shown as what the agent says, never as a fact. */
  readonly preview?: (args: JsonObject) => string
}

export interface CallOptions {
  readonly run?: string
  /** Of this call inside its run. The same key is the same call, however often it is made. */
  readonly key?: string
  readonly signal?: AbortSignal
  readonly waitFor?: string | number
  /** `false`: a question is asked and left open; the same call made again finds its answer. */
  readonly wait?: false
}

/** Called like the function itself. What does not run gives the sentence for the model instead. */
export type GuardedFunction<A, R> = (args: A, options?: CallOptions) => Promise<R | string>

/** A function behind the gate. What is declared here counts beside the policy file: the stricter. */
export function guard<A extends object, R>(
  gate: AnyGate,
  work: (args: A, context: ToolContext) => R | Promise<R>,
  { name, schema, preview, ...declaration }: GuardOptions,
): GuardedFunction<A, R> {
  if (typeof work !== 'function') {
    throw new CountersignError('usage', `the tool ${name} has nothing to run`, {
      hint: 'Pass guard(gate, fn, { name }).',
    })
  }
  if (guardedFunctions.has(work)) {
    throw new CountersignError('usage', `the tool ${name} is guarded already`, {
      hint: 'Pass the function itself: the run and the key go with each call.',
    })
  }
  const { words, predicate, otherwise } = readDeclaration(name, declaration)
  const { approval, description, secrets, result } = declaration
  // What protects secrets and results holds for every tool of this name, also when it is resumed.
  if (secrets || result) gate.declare(name, { secrets, result })
  const definition: ToolDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { inputSchema: schemaOf(schema) as Json }),
  }
  gate.tool(name, definition, {
    declared: { words, ...(predicate ? { byFunction: true } : {}) },
  })
  const check = checkerOf(schema)

  /** This tool's own declaration goes with its calls: another tool of this name has its own. */
  async function declaredFor(args: JsonObject): Promise<CallDeclaration> {
    if (!predicate) return words
    const asked = await resolveDeclared(approval, { args, ask: () => predicate(args), otherwise })
    return { ...words, approval: undefined, ...asked }
  }

  async function start(args: JsonObject, context: ToolContext): Promise<R> {
    // What a person changed has not been checked yet; everything else was, before it was shown.
    const given = context.edited ? await check(args) : args
    return work(given as A, context)
  }

  const guarded: GuardedFunction<A, R> = async (args, options = {}) => {
    const { run, key, ...waiting } = options
    let fitting: JsonObject
    try {
      fitting = await check(args as JsonObject)
    } catch (error) {
      const reason = error instanceof Error ? error.message : undefined
      return refusal('invalid', { tool: name, reason }).message
    }
    const call = {
      tool: name,
      args: fitting,
      ...(run === undefined ? {} : { run }),
      ...(key === undefined ? {} : { key }),
      ...said(preview, fitting),
    } as Call
    const declared = await declaredFor(fitting)
    return resultOrSentence(
      await gate.run(call, { name, definition, run: start }, { ...waiting, declared }),
    )
  }
  guardedFunctions.add(guarded)
  return guarded
}

const guardedFunctions = new WeakSet<object>()

const LONGEST = 2_000

/** A preview that fails is missing; the call is asked about all the same. */
function said(preview: GuardOptions['preview'], args: JsonObject) {
  if (!preview) return {}
  try {
    return { context: { says: String(preview(args)).slice(0, LONGEST) } }
  } catch {
    return {}
  }
}
