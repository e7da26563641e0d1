import type { Json } from './documents.ts'

/** `order.item\.id` → ['order', 'item.id']. */
export function pathSegments(path: string): string[] {
  const segments = ['']
  for (let at = 0; at < path.length; at++) {
    const character = path.charAt(at)
    if (character === '.') {
      segments.push('')
    } else if (character === '\\') {
      at++
      segments[segments.length - 1] += path.charAt(at)
    } else {
      segments[segments.length - 1] += character
    }
  }
  return segments
}

/** What lies at the path, through own properties of plain objects; undefined when nothing does. */
export function valueAt(root: Json | undefined, segments: string[]): Json | undefined {
  let value = root
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!Object.hasOwn(value, segment)) return undefined
    value = value[segment]
  }
  return value
}
