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

/**
 * Freezes a value and everything in it, so that no holder can change what others were shown. Stops
 * at what is frozen already: values made here are frozen whole.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key])
  return value
}

/** Whether nothing of a value can change any more. Not for values that hold themselves. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen)
}

/** Leaves unknown fields out: JSON has no undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> }
}
