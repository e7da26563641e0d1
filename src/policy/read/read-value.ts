import { isPlainObject } from '../../base/json/json.ts'
import type { Place } from '../document.ts'
import type { Report } from './read-report.ts'
import { MAX_DEPTH, type Tree, type TreeEntry, under } from './read-tree.ts'

/** A value from code as the tree a file would give. Absent and undefined are the same in code. */
export function treeOf(value: unknown, path: string, place: Place, report: Report): Tree {
  try {
    return convert(value, path, place, report, MAX_DEPTH)
  } catch {
    // A getter or a proxy that throws; whatever it threw is not ours to pass on.
    report.mistake(place, path, 'wrong_type', 'the value cannot be read; give a plain object')
    return { kind: 'broken', place }
  }
}

function convert(value: unknown, path: string, place: Place, report: Report, depth: number): Tree {
  const wrong = (kind: string, problem: string): Tree => {
    report.mistake(place, path, kind, problem)
    return { kind: 'broken', place }
  }
  switch (typeof value) {
    case 'string':
      if (value.isWellFormed()) return { kind: 'scalar', place, value, source: value }
      return wrong('invalid_unicode', 'the text holds half of a surrogate pair')
    case 'number':
    case 'boolean':
      return { kind: 'scalar', place, value, source: String(value) }
    case 'object':
      break
    default:
      return wrong('wrong_type', `found a ${typeof value}; write plain JSON`)
  }
  if (value === null) return { kind: 'scalar', place, value, source: 'null' }
  // A value that contains itself ends here, too.
  if (depth <= 0) return wrong('too_deep', `it is nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) {
    const items = Array.from(value, (item, index) =>
      convert(item, under(path, index), place, report, depth - 1),
    )
    return { kind: 'list', place, items }
  }
  if (!isPlainObject(value))
    return wrong('wrong_type', 'found an instance of a class; write plain JSON')
  const entries = Object.entries(value).flatMap(([key, member]): TreeEntry[] =>
    member === undefined
      ? []
      : [{ key, place, value: convert(member, under(path, key), place, report, depth - 1) }],
  )
  return { kind: 'map', place, entries }
}
