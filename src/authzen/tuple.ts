import { createHash } from 'node:crypto'
import type { Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../base/json/json.ts'

/** What one evaluation is about, with everything that an approval of it is bound to. */
export interface Tuple {
  readonly subject: Entity
  readonly action: { readonly name: string; readonly properties?: JsonObject }
  readonly resource: Entity
  /** Members that an approval is bound to: all besides those named below. */
  readonly context: JsonObject
}

export interface Entity {
  readonly type: string
  readonly id: string
  readonly properties?: JsonObject
}

/** The member of the arguments that holds what is not a tool's own argument. */
const BESIDE = 'authzen'

/** Machinery of the profile, and the time, which is another one in every request. */
const UNBOUND = ['approval', 'access_request', 'evaluation_id', 'evaluated_at', 'reason', 'time']

/**
 * Bytes that the names of a context may take. A denial repeats them in its id, and a list of
 * evaluations once for each of them.
 */
const MOST_NAMES = 4_000

/** Read by hand and not by its schema: nothing of it may be dropped on the way to its digest. */
export function readTuple(value: unknown, place = ''): Tuple {
  if (!isPlainObject(value)) throw invalid(place || 'the body', 'is not an object')
  const at = (name: string) => (place === '' ? name : `${place}.${name}`)
  const subject = readEntity(value.subject, at('subject'))
  const { act: _, ...properties } = subject.properties ?? {}
  const action = readObject(value.action, at('action'))
  const name = readText(action.name, at('action.name'))
  const resource = readEntity(value.resource, at('resource'))
  if (Object.hasOwn(resource.properties ?? {}, BESIDE)) {
    throw invalid(at(`resource.properties.${BESIDE}`), 'is a name that cannot be used')
  }
  // An action such as `call` on a tool: rules about that tool would not be looked at.
  if (resource.type === 'tool' && resource.id !== name) {
    throw invalid(at('resource.id'), 'is another tool than action.name, which rules are about')
  }
  return {
    // The profile leaves `act` out of every comparison, and nothing here goes by it.
    subject: {
      type: subject.type,
      id: subject.id,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
    },
    action: { name, ...propertiesOf(action, at('action')) },
    resource,
    context: boundContext(readContext(value, at('context')), at('context')),
  }
}

/** Everything in `context`, `approval` too. */
export function readContext(value: { readonly [key: string]: unknown }, place: string): JsonObject {
  return value.context === undefined ? {} : (readObject(value.context, place) as JsonObject)
}

function boundContext(context: JsonObject, place: string): JsonObject {
  const bound = pick(context, (name) => !UNBOUND.includes(name))
  const names = Buffer.byteLength(JSON.stringify(Object.keys(bound)))
  if (names > MOST_NAMES) {
    throw invalid(place, `has names of more than ${MOST_NAMES} bytes together`)
  }
  return bound
}

/** The tuple with no more of its context than these members. */
export function withContextOf(tuple: Tuple, names: readonly string[]): Tuple {
  return { ...tuple, context: pick(tuple.context, (name) => names.includes(name)) }
}

function pick(from: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => isWanted(name)))
}

function readEntity(value: unknown, place: string): Entity {
  const entity = readObject(value, place)
  return {
    type: readText(entity.type, `${place}.type`),
    id: readText(entity.id, `${place}.id`),
    ...propertiesOf(entity, place),
  }
}

function propertiesOf(
  { properties }: { readonly [key: string]: unknown },
  place: string,
): { readonly properties?: JsonObject } {
  if (properties === undefined) return {}
  return { properties: readObject(properties, `${place}.properties`) as JsonObject }
}

function readObject(value: unknown, place: string): { readonly [key: string]: unknown } {
  if (isPlainObject(value)) return value
  throw invalid(place, value === undefined ? 'is missing' : 'is not an object')
}

function readText(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 1_024) return value
  throw invalid(place, value === undefined ? 'is missing' : 'is not a text of 1 to 1024 characters')
}

function invalid(place: string, says: string): CountersignError {
  return new CountersignError('invalid_value', `${place} ${says}`)
}

/** The digest of the profile (`binding_hash`): over the canonical JSON of exactly these members. */
export function tupleHash({ subject, resource, action, context }: Tuple): string {
  const text = canonicalJson({ subject, resource, action, context })
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * The call that a tuple means: the action is the tool, the properties of the resource are its
 * arguments. Whatever else the tuple says stands beside them, so that two tuples that differ in
 * anything are two calls, and people see all of it.
 */
export function callOf(tuple: Tuple): Call & { readonly args: JsonObject } {
  const { subject, action, resource, context } = tuple
  const { type, id, properties = {} } = resource
  const beside = {
    ...(type === 'tool' && id === action.name ? {} : { resource: { type, id } }),
    ...(action.properties ? { action: action.properties } : {}),
    ...(subject.properties ? { subject: subject.properties } : {}),
    ...(Object.keys(context).length > 0 ? { context } : {}),
  }
  const isPlain = Object.keys(beside).length === 0
  const args = isPlain ? { ...properties } : { ...properties, [BESIDE]: beside as Json }
  return { tool: action.name, args }
}

/** Back again, for arguments that people edited: what the next evaluation has to say. */
export function tupleOf(subject: Entity, tool: string, args: JsonObject): JsonObject {
  const { [BESIDE]: beside, ...properties } = args
  const { resource, action, subject: about, context } = isPlainObject(beside) ? beside : {}
  const named = isPlainObject(resource) ? resource : { type: 'tool', id: tool }
  const { type, id } = subject
  return {
    subject: { type, id, ...(about === undefined ? {} : { properties: about }) },
    action: { name: tool, ...(action === undefined ? {} : { properties: action }) },
    resource: { ...named, properties },
    ...(context === undefined ? {} : { context }),
  } as JsonObject
}
