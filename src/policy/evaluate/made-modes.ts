/*
 * A mode turns the owner's rules off, so it is known by who made it and not by what it looks like:
 * an object from a configuration file, a request or a typo is none.
 */
const made = new WeakSet<object>()

/** Frozen, so that a mode that was checked stays what it is. */
export function makeMode<K extends object>(kind: K): Readonly<K> {
  made.add(Object.freeze(kind))
  return kind
}

export function isMadeMode(mode: unknown): boolean {
  return typeof mode === 'object' && mode !== null && made.has(mode)
}
