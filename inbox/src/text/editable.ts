/** Which arguments an approver may change. The server checks again; this is for the form. */
import type { WireTerms } from '../../../src/api/approval.ts'
import type { Keys, ValueRow } from './values.ts'

export function mayEdit(edit: WireTerms['edit'], { keys }: Pick<ValueRow, 'keys'>): boolean {
  if (edit === false) return false
  if (edit === true) return true
  return edit.some((path) => {
    const parts = readPath(path)
    return parts.length <= keys.length && parts.every((part, at) => part === keys[at])
  })
}

/** `a.b\.c` → a, b.c: the way policies write paths. */
export function readPath(path: string): Keys {
  const parts: string[] = ['']
  for (let at = 0; at < path.length; at += 1) {
    const char = path[at]
    if (char === '\\') {
      at += 1
      parts.push(`${parts.pop() ?? ''}${path[at] ?? ''}`)
    } else if (char === '.') parts.push('')
    else parts.push(`${parts.pop() ?? ''}${char}`)
  }
  return parts
}
