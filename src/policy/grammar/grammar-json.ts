import type { Json, JsonObject } from '../../base/json/json.ts'
import { type At, inside, readNumber, refuse, type Shape } from '../read/read-shape.ts'
import type { Tree } from '../read/read-tree.ts'

/** Any JSON object, kept as it is: the call of a policy test. */
export const jsonObject: Shape<JsonObject> = {
  wants: 'a map such as { tool: pay, args: { amount: 50 } }',
  read(tree, at) {
    if (tree.kind !== 'map') return refuse(tree, at, jsonObject.wants)
    return toJson(tree, at) as JsonObject | undefined
  },
  schema: () => ({ type: 'object' }),
}

/** Here an argument may be null, but it has to be written: `amount:` alone is a slip. */
function toJson(tree: Tree, at: At): Json | undefined {
  if (tree.kind === 'broken') return undefined
  if (tree.kind === 'list') {
    const items = tree.items.map((item, index) => toJson(item, inside(at, index)))
    return items.filter((item) => item !== undefined)
  }
  if (tree.kind === 'map') {
    const members = tree.entries.map(
      ({ key, value }) => [key, toJson(value, inside(at, key))] as const,
    )
    // fromEntries defines own members, also one called __proto__.
    return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject
  }
  if (typeof tree.value === 'number') return readNumber(tree, at)
  if (tree.value === null && tree.source === '') return refuse(tree, at, 'a value, or null')
  return tree.value
}
