import type { Json, JsonObject } from '../../base/json/json.ts'
import { defaultOf, fillItems, lengthOf, sizes, whole } from './schema-keywords.ts'
import { applies, holds, type Part, type Test } from './schema-part.ts'
import { areUnique, unusable } from './schema-run.ts'

export interface Draft {
  /** Before 2019-09. */
  readonly isOld: boolean
  /** Whether `items` may be a list. */
  readonly hasTuples: boolean
}

/** What reading the words for lists needs of the reader of whole schemas. */
export interface ListReader {
  readonly draft: Draft
  part(schema: Json | undefined): Part
  several(schema: JsonObject, word: string): readonly Part[] | undefined
}

/** Everything a schema can say of a list. */
export function lists(schema: JsonObject, reader: ListReader): Test[] {
  const tests: Test[] = [...sizes(schema, 'Items', 'items', lengthOf)]
  const { uniqueItems } = schema
  if (uniqueItems !== undefined && typeof uniqueItems !== 'boolean') {
    throw unusable('uniqueItems is neither true nor false')
  }
  if (uniqueItems) {
    tests.push(
      (value, run) =>
        !Array.isArray(value) || areUnique(value, run) || run.fail('must NOT have duplicate items'),
    )
  }
  const contains = containsOf(schema, reader)
  return [
    ...itemsOf(schema, reader),
    ...(contains ? [contains] : []),
    ...tests,
    ...unseenItems(schema, reader),
  ]
}

function itemsOf(schema: JsonObject, reader: ListReader): Test[] {
  const { items, additionalItems } = schema
  const { isOld, hasTuples } = reader.draft
  const isTuple = Array.isArray(items)
  if (isTuple && !hasTuples) throw unusable('items is a list; since 2020-12 that is prefixItems')
  const first = isTuple
    ? (items as readonly Json[]).map((item) => reader.part(item))
    : ((isOld ? undefined : reader.several(schema, 'prefixItems')) ?? [])
  const others = isTuple ? additionalItems : items
  const rest = others === undefined ? undefined : reader.part(others)
  const defaults = isTuple ? (items as readonly Json[]).map(defaultOf) : []
  if (first.length === 0 && !rest) return []
  return [
    (value, run) => {
      if (!Array.isArray(value)) return true
      if (run.fills) fillItems(value, defaults, run)
      for (let index = 0; index < value.length; index++) {
        const part = first[index] ?? rest
        if (!part) break
        if (!run.inside(String(index), () => holds(part, value[index] as Json, run))) return false
        run.seen?.items.add(index)
      }
      if (run.seen && rest) run.seen.allItems = true
      return true
    },
  ]
}

function containsOf(schema: JsonObject, reader: ListReader): Test | undefined {
  const { contains } = schema
  const { isOld } = reader.draft
  const least = (isOld ? undefined : whole(schema, 'minContains')) ?? 1
  const most = isOld ? undefined : whole(schema, 'maxContains')
  if (contains === undefined) return undefined
  const part = reader.part(contains)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const { problem } = run
    let found = 0
    for (let index = 0; index < value.length; index++) {
      const fits = run.inside(String(index), () => applies(part, value[index] as Json, run))
      if (fits) run.seen?.items.add(index)
      found += fits ? 1 : 0
    }
    run.problem = problem
    if (most !== undefined && found > most) {
      return run.fail(`must contain at least ${least} and no more than ${most} valid item(s)`)
    }
    return found >= least || run.fail(`must contain at least ${least} valid item(s)`)
  }
}

function unseenItems({ unevaluatedItems }: JsonObject, reader: ListReader): Test[] {
  if (unevaluatedItems === undefined || reader.draft.isOld) return []
  const part = reader.part(unevaluatedItems)
  return [
    (value, run) => {
      const { seen } = run
      if (!Array.isArray(value) || !seen || seen.allItems) return true
      for (let index = 0; index < value.length; index++) {
        run.spend(1)
        if (seen.items.has(index)) continue
        const ok = run.inside(String(index), () => holds(part, value[index] as Json, run))
        if (!ok) return false
      }
      seen.allItems = true
      return true
    },
  ]
}
