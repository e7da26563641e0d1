import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Addresses without parameters are found in a table; the others are searched for. An exact address
 * wins over a pattern, whichever was added first: `/v1/people/stand-ins` is no person.
 */
export function exactFirst<T>(): Router<T> {
  const exact = new Map<string, Map<string, Result<T>>>()
  const patterns = new TrieRouter<T>()
  return {
    name: 'ExactFirst',
    add(method, path, handler) {
      if (/[:*]/.test(path)) {
        patterns.add(method, path, handler)
        return
      }
      const paths = exact.get(method) ?? new Map<string, Result<T>>()
      // One handler for each address: the first, as everywhere in Hono.
      if (!paths.has(path)) exact.set(method, paths.set(path, [[[handler, {}]]]))
    },
    match: (method, path) => exact.get(method)?.get(path) ?? patterns.match(method, path),
  }
}
