import type { AskedCall } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import type { Call, Risk } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { callDigest, digestOf } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { MAX_TEXT } from '../../policy/call.ts'
import type { Policy } from '../../policy/policy.ts'
import type { GateContext } from '../context.ts'
import { formDigest } from '../form/form.ts'
import { askedCall, type CallerIdentity } from '../identity.ts'
import type { ToolDefinition } from '../tool.ts'
import { latest } from './stored-content.ts'

/*
 * What an approval is bound to: one exact call, under its key, of a tool with one definition.
 */

/** Names what a tool says about itself, so that a changed tool is noticed. */
export function digestDefinition(definition: ToolDefinition | undefined): Promise<string> {
  if (definition !== undefined) return digestOf('definition', definition)
  ofNothing ??= digestOf('definition', null)
  return ofNothing
}

/** Of a tool that says nothing about itself, as most do. */
let ofNothing: Promise<string> | undefined

/** Names one exact call: everything the approval remembers that binds it, and its arguments. */
export function digestCall(tenant: string, call: AskedCall, args: string): Promise<string> {
  return callDigest({ ...call, tenant, arguments: args })
}

/** A call as it was read. */
interface Bindable {
  readonly call: Call
  readonly bytes: { readonly text: string }
  readonly policy: Policy
}

export interface Binding {
  readonly definition: ToolDefinition | undefined
  readonly looks?: Risk | undefined
  readonly key: string | undefined
  readonly batch?: string | undefined
}

/** The call as an approval names it, and its digest. */
export async function boundCall(
  { tenant }: Pick<GateContext, 'tenant'>,
  caller: CallerIdentity,
  { call, bytes, policy }: Bindable,
  { definition, looks, key, batch }: Binding,
): Promise<{ readonly call: AskedCall; readonly digest: string }> {
  const named = askedCall({
    call,
    key,
    caller,
    policy,
    definition: await digestDefinition(definition),
    batch,
    looks,
    form: call.form && (await formDigest(call.form)),
  })
  return { call: named, digest: await digestCall(tenant, named, bytes.text) }
}

/** Some SDKs put signatures into call ids, so a key can be of any length. */
export function isLongKey(key: unknown): key is string {
  return typeof key === 'string' && key.length > MAX_TEXT
}

/** A key only has to tell calls apart: a long one is replaced by its digest instead of refused. */
export function boundedKey(key: string): Promise<string> {
  return digestOf('key', key)
}

/*
 * The definition an approval is bound to is kept with it, and goes with it: so every process that
 * shows, masks or edits the call has exactly that one. A definition of the same name from another
 * agent, or from the same one a minute later, is another definition.
 */

const LIMITS = { depth: 64, bytes: 131_072, keys: 8_000 }

/** As it is kept with the question; undefined where the tool says nothing of itself. */
export function definitionText(definition: ToolDefinition | undefined): string | undefined {
  if (definition === undefined) return undefined
  try {
    return canonicalJson(definition, LIMITS)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is not JSON'
    throw new CountersignError('schema_unusable', `the tool’s definition cannot be kept: ${why}`, {
      hint: definitionHint(cause, '128 kB'),
      cause,
    })
  }
}

/** What to do about a definition that has no canonical text; the message names the place. */
export function definitionHint(cause: unknown, most: string): string {
  switch (isCountersignError(cause) ? cause.code : undefined) {
    case 'unsafe_number':
      return 'JSON readers do not agree on integers beyond ±(2^53−1). Leave that limit out of the schema, or describe the value as text with a pattern.'
    case 'too_large':
      return `Keep a definition under ${most}; descriptions and schemas that large are not read.`
    case 'too_deep':
      return 'Nest a schema at most 64 levels deep; `$defs` and `$ref` keep it flat.'
    default:
      return 'Give plain JSON: objects, lists, well-formed text, numbers, true, false and null.'
  }
}

export type BoundDefinition =
  | { readonly isKnown: true; readonly definition: ToolDefinition | undefined }
  /** Erased, or changed in the database: what the tool said of itself is no longer known. */
  | { readonly isKnown: false }

export async function boundDefinition(
  { definition: digest }: Pick<AskedCall, 'definition'>,
  content: readonly Content[],
): Promise<BoundDefinition> {
  const text = latest(content, 'definition')
  const kept = typeof text === 'string' ? (freshParse(text) as ToolDefinition) : undefined
  // Only the bytes that were bound count: any others belong to another definition.
  if ((await digestDefinition(kept)) !== digest) return { isKnown: false }
  return { isKnown: true, definition: kept }
}

/** Hides every argument: where it is unknown what is secret, all of it may be. */
const HIDES_ALL: Json = { additionalProperties: { 'x-secret': true } }

/** The schema that says what is hidden. */
export function maskingSchema(bound: BoundDefinition): Json | undefined {
  return bound.isKnown ? bound.definition?.inputSchema : HIDES_ALL
}
