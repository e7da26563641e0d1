import type { Approval } from '../approval/approval.ts'
import { READ_METHODS, type Risk } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { NAME } from '../policy/call.ts'
import { checkPreviewing, type PreviewFunction, type Previewing } from './preview/previewing.ts'
import type { Countersign } from './proof/countersigned.ts'

/** What a tool is told besides its arguments. */
export interface ToolContext {
  /** The approval this call runs on; absent when the policy allows it without one. */
  readonly approval: Approval | undefined
  /** Structured data an approver attached for the tool. Never part of the arguments. */
  readonly decision: Json | undefined
  /** The same for every attempt at this one call, so that the called service can notice repeats. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal | undefined
  /** A person changed the arguments before approving. */
  readonly edited: boolean
  /**
   * Proof for one gate further on that this call was approved, so that it does not ask again.
   * Absent where the call needed no approval, or the gate has no key to sign with.
   */
  readonly countersign?: Countersign | undefined
}

/**
 * Thrown by a tool that could not even begin. A tool that does not know whether it took effect
 * throws a `CountersignError` with the code `outcome_unknown`; whatever else is thrown is a failure.
 */
export class NotStarted extends CountersignError {
  constructor(message: string) {
    super('not_started', message)
  }
}

/** What the model and the approver are told a tool does. Part of what an approval is bound to. */
export interface ToolDefinition {
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly inputSchema?: Json
  readonly [key: string]: Json | undefined
}

/** `A` is what the tool expects its arguments to be; its schema, not the gate, makes that true. */
export type ToolFunction<A = JsonObject, R = unknown> = (
  args: A,
  context: ToolContext,
) => R | Promise<R>

export interface Tool<A = JsonObject, R = unknown> extends Previewing<A> {
  readonly name: string
  readonly definition?: ToolDefinition
  /**
   * What it says of itself now, where that can change while people decide. Asked just before a yes
   * is spent: a yes to something else than that is none.
   */
  readonly definitionNow?: () => Promise<ToolDefinition | undefined>
  /** How risky it looks, where it is unrated. Shown to people if high; rules do not go by it. */
  readonly looks?: Risk
  readonly run: ToolFunction<A, R>
}

export type AnyTool<A = never, R = unknown> = Tool<A, R> | ToolFunction<A, R>

const USED_BY_CLAIM = new WeakSet<object>()

/**
 * Marks a function that does nothing: claiming the yes is all that its call is about. Then the claim
 * is its use, and there is no moment after which it must not start.
 */
export function usedByClaim<F extends ToolFunction>(nothing: F): F {
  USED_BY_CLAIM.add(nothing)
  return nothing
}

export function isUsedByClaim(start: object): boolean {
  return USED_BY_CLAIM.has(start)
}

/** Several tools: by name, or as a list. */
export type Tools =
  | readonly Tool<never>[]
  | ReadonlyMap<string, AnyTool>
  | { readonly [name: string]: AnyTool }

/** One tool under one name, whatever form it came in. */
export interface NamedTool<R = unknown> extends Previewing {
  readonly name: string
  readonly definition: ToolDefinition | undefined
  readonly definitionNow?: (() => Promise<ToolDefinition | undefined>) | undefined
  readonly looks?: Risk | undefined
  /** The caller's code says that what it returns is not to be kept. */
  readonly drop?: boolean
  readonly start: ToolFunction<JsonObject, R>
}

/** Running one tool under the name of another would be asking about the wrong call. */
export function namedTool<A, R>(tool: AnyTool<A, R>, name: string): NamedTool<R> {
  if (typeof tool === 'function') {
    return { name, definition: undefined, start: tool as ToolFunction<JsonObject, R> }
  }
  if (typeof tool?.run !== 'function') {
    throw new CountersignError('usage', `the tool ${name} has nothing to run`, {
      hint: 'Pass a function, or an object with name and run(args, context).',
    })
  }
  if (tool.name !== name) {
    throw new CountersignError('usage', `the call names ${name}, the tool is ${tool.name}`, {
      hint: 'A tool runs under its own name only.',
    })
  }
  const own = tool as unknown as Tool<JsonObject, R>
  const { definition, definitionNow, looks, preview, previewTimeout } = own
  const start: NamedTool<R>['start'] = (args, context) => own.run(args, context)
  const named = { name, definition, definitionNow, looks, start }
  if (preview === undefined) return named
  checkPreviewing(own)
  const make: PreviewFunction = (args, context) => preview.call(own, args, context)
  return { ...named, preview: make, previewTimeout }
}

/** Every tool that goes by this name. Names come from models, so nothing inherited is a tool. */
export function toolsNamed(tools: Tools, name: string): NamedTool[] {
  if (isList(tools)) {
    return tools.filter((tool) => tool.name === name).map((tool) => namedTool(tool, name))
  }
  if (tools instanceof Map) {
    const found = tools.get(name)
    return found === undefined ? [] : [namedTool(found, name)]
  }
  const record = tools as { readonly [name: string]: AnyTool }
  const found = Object.hasOwn(record, name) ? record[name] : undefined
  return found === undefined ? [] : [namedTool(found, name)]
}

function isList(tools: Tools): tools is readonly Tool<never>[] {
  return Array.isArray(tools)
}

export function checkToolName(name: string): void {
  if (NAME.test(name) || READ_METHODS.has(name)) return
  throw new CountersignError('usage', `${JSON.stringify(name)} is not a name for a tool`, {
    hint: 'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
  })
}
