/** A text somewhere inside what a provider sent; empty when there is none. */
export function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = valueAt(value, ...keys)
  return typeof found === 'string' ? found : ''
}

/** Whatever stands there. Own members alone: a provider chooses the names. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return isObject ? (inner as Record<string, unknown>)[key] : undefined
  }, value)
}

/** Undefined for what is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
