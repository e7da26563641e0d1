import type { Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { CallBlocked } from './call-blocked.ts'
import {
  type CallDeclaration,
  type CodeDeclaration,
  type CodeWords,
  readDeclaration,
} from './declared/declarations.ts'
import { resolveDeclared } from './declared/resolve-declared.ts'
import { blocked, type Outcome } from './outcome.ts'
import { checkPreviewing, type Previewing } from './preview/previewing.ts'
import { type ArgumentSchema, checkerOf, isStandard, schemaOf } from './schema/argument-schema.ts'
import { checkToolName, type NamedTool, type ToolContext, type ToolDefinition } from './tool.ts'

/** `approval`, `risk` and the rest as in policy files; `approval` may be a function instead. */
export interface GuardOptions extends CodeDeclaration, Previewing {
  /** The name policies and people know the tool by. */
  readonly name: string
  /** Of the arguments: JSON Schema, or a zod, valibot or arktype schema, which also validates. */
  readonly schema?: ArgumentSchema | undefined
  /**
   * JSON Schema of what an approver fills in, or a function that makes it for one call. The function
   * that is guarded reads the answers as `context.decision`.
   */
  readonly form?: JsonObject | ((args: JsonObject) => JsonObject) | undefined
}

export interface GuardedCallOptions {
  /** The conversation or workflow. That of the gate unless set. */
  readonly run?: string | undefined
  /** Idempotency key of this call inside its run: the same key is the same call. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** How long to wait for an answer: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number | undefined
  /** `false`: ask and throw `pending`; the same call made again finds the answer. */
  readonly wait?: false | undefined
  /** Receives what the model should read besides the result, such as what a person changed. */
  readonly onModelMessage?: ((text: string) => void) | undefined
}

/**
 * Called like the function itself. Resolves with the tool's own result, throws what the tool throws,
 * and throws `CallBlocked` for a call that has no result.
 */
export type Guarded<A, R> = (args: A, options?: GuardedCallOptions) => Promise<R>

/** What guarding a function needs of a gate, in this process or over HTTP. */
export interface GuardHost {
  declare(tool: string, declaration: CodeDeclaration): void
  tool(
    name: string,
    definition: ToolDefinition | undefined,
    options: { readonly declared?: CodeWords },
  ): void
  /** Gives the result or throws, as `resultOf` does. */
  call<R>(call: Call, tool: NamedTool<R>, options: HostedOptions): Promise<R>
}

export interface HostedOptions extends GuardedCallOptions {
  readonly declared?: CallDeclaration | undefined
}

/** A function behind the gate. What is declared here counts beside the policy file: the stricter. */
export function guardFunction<A, R>(
  host: GuardHost,
  work: (args: A, context: ToolContext) => R | Promise<R>,
  { name, schema, preview, previewTimeout, form, ...declaration }: GuardOptions,
): Guarded<A, R> {
  checkGuardable(work, name)
  checkPreviewing({ preview, previewTimeout })
  const { words, predicate, otherwise } = readDeclaration(name, declaration)
  const { approval, description, secrets, result } = declaration
  // What protects secrets and results holds for every tool of this name, also when it is resumed.
  if (secrets || result) host.declare(name, { secrets, result })
  const definition: ToolDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { inputSchema: schemaOf(schema) as Json }),
  }
  const isDeclared = predicate !== undefined || Object.keys(words).length > 0
  // Nothing said is not an empty definition: the calls of a plain function are bound to none.
  const own = Object.keys(definition).length > 0 ? definition : undefined
  host.tool(name, own, {
    ...(isDeclared ? { declared: { words, ...(predicate ? { byFunction: true } : {}) } } : {}),
  })
  const check = checkerOf(schema)

  /** This tool's own declaration goes with its calls: another tool of this name has its own. */
  async function declaredFor(args: JsonObject): Promise<CallDeclaration> {
    if (!predicate) return words
    const asked = await resolveDeclared(approval, { args, ask: () => predicate(args), otherwise })
    return { ...words, approval: undefined, ...asked }
  }

  async function checked(args: A): Promise<JsonObject> {
    try {
      return await check(args as JsonObject)
    } catch (error) {
      const reason = error instanceof Error ? error.message : undefined
      throw new CallBlocked(blocked('invalid_call', { tool: name, reason }))
    }
  }

  const start = work as NamedTool<R>['start']
  const plain: NamedTool<R> = {
    name,
    definition: own,
    start,
    ...(preview ? { preview, previewTimeout } : {}),
  }
  const validating: NamedTool<R> = {
    ...plain,
    // What a person changed has not been checked yet; everything else was, before it was shown.
    start: async (args, context) => start(context.edited ? await check(args) : args, context),
  }

  async function guardedByCode(args: A, options: GuardedCallOptions): Promise<R> {
    const fitting = await checked(args)
    const call: Call = { tool: name, args: fitting, ...formed(form, name, fitting) }
    return host.call(call, validating, { ...options, declared: await declaredFor(fitting) })
  }

  const isPlain = !isDeclared && !form && !(schema && isStandard(schema))
  const guarded: Guarded<A, R> = isPlain
    ? // No promise of our own around the tool's: it would cost more than all the rest.
      (args, options = NO_OPTIONS) =>
        host.call({ tool: name, args: args as JsonObject }, plain, options)
    : (args, options = NO_OPTIONS) => guardedByCode(args, options)
  guardedFunctions.add(guarded)
  return guarded
}

/** The result of a call, or throws what a guarded function throws. */
export function resultOf<R>(outcome: Outcome<R>, { onModelMessage }: GuardedCallOptions): R {
  switch (outcome.status) {
    case 'succeeded':
      if (outcome.noResult !== undefined) throw new CallBlocked(outcome)
      if (outcome.modelMessage !== undefined) onModelMessage?.(outcome.modelMessage)
      return outcome.result
    case 'failed':
      // Of a call that failed before only the text is kept; callers expect an error.
      throw outcome.replayed
        ? new Error(outcome.modelMessage, { cause: outcome.error })
        : outcome.error
    default:
      throw new CallBlocked(outcome)
  }
}

function checkGuardable(work: unknown, name: unknown): void {
  if (typeof name !== 'string') {
    throw new CountersignError('usage', 'a guarded function has no name', {
      hint: 'Pass gate.guard(fn, { name }): policies and people know the tool by it.',
    })
  }
  checkToolName(name)
  if (typeof work !== 'function') {
    throw new CountersignError('usage', `the tool ${name} has nothing to run`, {
      hint: 'Pass gate.guard(fn, { name }).',
    })
  }
  if (guardedFunctions.has(work)) {
    throw new CountersignError('usage', `the tool ${name} is guarded already`, {
      hint: 'Pass the function itself: the run and the key go with each call.',
    })
  }
}

const NO_OPTIONS = {}

const guardedFunctions = new WeakSet<object>()

/** A form that cannot be made stops the call: a yes without its answers is not the one wanted. */
function formed(form: GuardOptions['form'], tool: string, args: JsonObject): Pick<Call, 'form'> {
  if (form === undefined) return {}
  if (typeof form !== 'function') return { form }
  try {
    return { form: form(args) }
  } catch {
    throw new CallBlocked(blocked('form_unusable', { tool, reason: 'its form cannot be made' }))
  }
}
