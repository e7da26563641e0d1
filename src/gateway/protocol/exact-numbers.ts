import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'

/*
 * Servers in other languages write numbers that JavaScript does not keep: 12345678901234567890,
 * 1e400, 1.0. The parsed result is what the gate reads; a second copy keeps the source text of such
 * numbers, and only `JSON.stringify` uses it.
 */
const exact = new WeakMap<JsonObject, JsonObject>()

/** As ECMAScript 2026 has it; the compiler's library does not know it yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): { readonly result: JsonObject }
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

/** In texts that hold none of these, every number is written as JavaScript writes it. */
const MAY_DIFFER = /\d{16}|\d\.\d|\d[eE]|-0/

/** What a server wrote. Throws what is no JSON. */
export function parseWritten(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_DIFFER.test(text) || !isPlainObject(value) || !isPlainObject(value.result)) return value
  const written = asWritten(text)
  if (written) exact.set(value.result as JsonObject, written)
  return value
}

function asWritten(text: string): JsonObject | undefined {
  let differs = false
  try {
    const { result } = parse(text, (_, item, { source }) => {
      if (typeof item !== 'number' || source === undefined) return item
      if (JSON.stringify(item) === source) return item
      differs = true
      return rawJSON(source)
    })
    return differs ? result : undefined
  } catch {
    // Nested deeper than this can walk.
    return undefined
  }
}

/** The result to write out for this one. Nothing else may look into it. */
export function writtenAs(result: JsonObject): JsonObject {
  return exact.get(result) ?? result
}

/** Changes a result and what is written for it alike. */
export function changed(
  result: JsonObject,
  change: (result: JsonObject) => JsonObject,
): JsonObject {
  const now = change(result)
  const written = exact.get(result)
  if (written) exact.set(now, change(written))
  return now
}

/** A number as it was written, which is an object to look at. */
export function isWrittenNumber(value: Json): boolean {
  return isRawJSON(value)
}
