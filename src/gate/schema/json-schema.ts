import { isCountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { isDeepFrozen, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Validate, Validated } from '../context.ts'
import { type ReadSchema, readSchema } from './schema-read.ts'
import { type Problem, unusable } from './schema-run.ts'

/*
 * Schemas come from tools, and tools come from anywhere. So they are bounded before they are read,
 * refer to nothing outside of themselves, search with an engine that is linear, and every check has
 * a budget of steps: docs/decisions/json-schema.md.
 */

const SCHEMA_LIMITS = { depth: 48, bytes: 131_072, keys: 4_000 }
/** How much is remembered, in characters of the schemas. What was read takes several times that. */
const REMEMBERED = 1_048_576
const MOST_REMEMBERED = 500

/** Checks arguments against JSON Schema (drafts 4 to 2020-12) and fills in its defaults. */
export function jsonSchema(): Validate {
  const known = new Map<string, Known>()
  let size = 0
  // Schemas that can never change again need not be read again.
  const frozen = new WeakMap<object, ReadSchema>()

  function schemaFor(schema: Json): ReadSchema {
    if (typeof schema !== 'object' || schema === null) return schemaByText(schema)
    const before = frozen.get(schema)
    if (before) return before
    const read = schemaByText(schema)
    if (isDeepFrozen(schema)) frozen.set(schema, read)
    return read
  }

  function schemaByText(schema: Json): ReadSchema {
    const text = boundedText(schema)
    const found = known.get(text) ?? readKnown(text)
    if (!known.delete(text)) size += text.length
    known.set(text, found)
    for (const [oldest] of known) {
      if (size <= REMEMBERED && known.size <= MOST_REMEMBERED) break
      known.delete(oldest)
      size -= oldest.length
    }
    if ('schema' in found) return found.schema
    throw found.error
  }

  function validate(schema: Json, args: JsonObject): Validated {
    const read = schemaFor(schema)
    // A copy, because defaults are written into it.
    const filled = freshParse(canonicalJson(args))
    const { ok, problem } = run(read, filled)
    return ok ? { ok: true, args: filled } : wrongWith(problem)
  }

  function fill(schema: Json, args: JsonObject): JsonObject | undefined {
    const read = schemaFor(schema)
    const filled = read.fills ? (freshParse(JSON.stringify(args)) as JsonObject) : args
    return run(read, filled).ok ? filled : undefined
  }

  return Object.assign(validate, { fill })
}

function run(read: ReadSchema, value: Json) {
  try {
    return read.run(value)
  } catch (error) {
    throw asUnusable(error)
  }
}

/** One that cannot be used is remembered as well: finding that out again costs as much. */
type Known = { readonly schema: ReadSchema } | { readonly error: unknown }

function readKnown(text: string): Known {
  try {
    return { schema: readSchema(freshParse(text)) }
  } catch (error) {
    return { error: asUnusable(error) }
  }
}

/** References one behind the other can use up the stack, which is safe, and a sentence of its own. */
function asUnusable(error: unknown): unknown {
  return isCountersignError(error) ? error : unusable('it is nested too deeply', error)
}

function boundedText(schema: Json): string {
  try {
    return canonicalJson(schema, SCHEMA_LIMITS)
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : 'it is not JSON', error)
  }
}

function wrongWith(problem: Problem | undefined): Validated {
  const { at = [], message = 'do not fit the schema', member } = problem ?? {}
  const place = at.length === 0 ? 'the arguments' : at.join('.')
  const isExtra = message.startsWith('must NOT have additional')
  const extra = isExtra && member !== undefined ? `: ${member}` : ''
  return {
    ok: false,
    problem: `${place} ${message}${extra}`,
    at: member === undefined ? at : [...at, member],
  }
}
