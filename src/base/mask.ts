import { isPlainObject } from './json.ts'

/** What stands where a secret was. */
export const MASK = '[secret]'

/** A copy with the values at these paths replaced; the original when there is nothing to hide. */
export function maskPaths<T>(value: T, paths: readonly { readonly keys: readonly string[] }[]): T {
  return paths.reduce((masked, { keys }) => maskPath(masked, keys) as T, value)
}

function maskPath(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return MASK
  if (!isPlainObject(value) || !Object.hasOwn(value, key)) return value
  // Entries, not assignment: a key called __proto__ must stay an ordinary one.
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === key ? maskPath(inner, rest) : inner,
    ]),
  )
}
