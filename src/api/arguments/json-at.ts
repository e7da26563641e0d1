export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }
/** A place in arguments: the names and numbers on the way to it. */
export type Keys = readonly string[]

export function isNested(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null
}

export function readAt(value: Json | undefined, keys: Keys): Json | undefined {
  let at: Json | undefined = value
  for (const key of keys) {
    if (at === undefined || !isNested(at) || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key]
  }
  return at
}
