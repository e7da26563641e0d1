import type { Place } from '../document.ts'

/**
 * What a policy was written as, before it is interpreted: maps, lists and scalars, each with its
 * place. Maps stay lists of entries, so a key called `__proto__` is a key like any other.
 */
export type Tree = TreeMap | TreeList | TreeScalar | TreeBroken

interface TreeMap {
  readonly kind: 'map'
  readonly place: Place
  readonly entries: readonly TreeEntry[]
}

export interface TreeEntry {
  readonly key: string
  readonly place: Place
  readonly value: Tree
}

interface TreeList {
  readonly kind: 'list'
  readonly place: Place
  readonly items: readonly Tree[]
}

export interface TreeScalar {
  readonly kind: 'scalar'
  readonly place: Place
  readonly value: string | number | boolean | null
  /** The characters in the file: `0x10` for 16, nothing at all for an empty value. */
  readonly source: string
}

/** Something that has already been reported; readers pass over it in silence. */
interface TreeBroken {
  readonly kind: 'broken'
  readonly place: Place
}

/** Deeper files are refused: nothing a person writes comes near, and recursion must end. */
export const MAX_DEPTH = 64

/** `approval.condition[0]`, and `["odd key"]` where a key would blur the path. */
export function under(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[\w.\\@/*<>-]{1,80}$/.test(key)) {
    return `${path}[${JSON.stringify(key.length > 80 ? `${key.slice(0, 77)}...` : key)}]`
  }
  return path === '' ? key : `${path}.${key}`
}
