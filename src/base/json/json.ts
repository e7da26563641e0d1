/** A JSON value, as arguments arrive and as documents are written. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** The values a condition can compare. */
export type Scalar = string | number | boolean

/** True for objects made by `{}` or a parser; false for arrays, class instances, Maps, Dates. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
