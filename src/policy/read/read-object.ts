import type { Place } from '../document.ts'
import { unknownKey } from '../grammar/grammar-hints.ts'
import { type At, inside, type JsonSchema, refuse, type Shape } from './read-shape.ts'

/** A key of the grammar: what stands there, and what it is for, in a sentence for editors. */
export interface Key<T> {
  readonly shape: Shape<T>
  readonly about: string
  /** How the key is written; given for keys that must be there. */
  readonly example?: string
}

export type Keys = Readonly<Record<string, Key<unknown>>>

type Values<K extends Keys> = {
  readonly [Name in keyof K]?: K[Name] extends Key<infer T> ? T : never
}

/** A map that was read. Keys with mistakes are absent from `values` but not from `places`. */
export interface Section<K extends Keys> {
  readonly values: Values<K>
  readonly places: ReadonlyMap<string, Place>
  readonly place: Place
  readonly path: string
}

export interface ObjectShape<K extends Keys> extends Shape<Section<K>> {
  readonly name: string
  readonly keys: K
}

interface ObjectOptions {
  /** What to say about a key that is not of this map, by its letters alone. */
  readonly hints?: Readonly<Record<string, string>>
  /** Keys that are known to exist and say nothing to us. */
  readonly passes?: (key: string) => boolean
  /** What editors should check beyond the keys one by one. */
  readonly schema?: JsonSchema
}

export function key<T>(shape: Shape<T>, about: string): Key<T> {
  return { shape, about }
}

export function required<T>(shape: Shape<T>, about: string, example: string): Key<T> {
  return { shape, about, example }
}

export function object<K extends Keys>(
  name: string,
  keys: K,
  { hints = {}, passes = () => false, schema = {} }: ObjectOptions = {},
): ObjectShape<K> {
  const known = Object.keys(keys)
  const wants = `a map with ${known.length > 6 ? `keys such as ${known.slice(0, 4).join(', ')}` : known.join(', ')}`
  const noteMissing = (at: At, present: ReadonlySet<string>, place: Place) => {
    for (const [missing, { example }] of Object.entries(keys)) {
      if (example === undefined || present.has(missing)) continue
      const problem = `\`${missing}\` is missing; add \`${example}\``
      at.report.mistake(place, at.path, 'missing_key', problem)
    }
  }
  return {
    name,
    keys,
    wants,
    read(tree, at) {
      if (tree.kind !== 'map') return refuse(tree, at, wants)
      const values: Record<string, unknown> = {}
      const places = new Map<string, Place>()
      const meant: string[] = []
      for (const entry of tree.entries) {
        const here = inside(at, entry.key)
        const one = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined
        if (one) {
          places.set(entry.key, entry.place)
          values[entry.key] = one.shape.read(entry.value, here)
        } else if (!passes(entry.key)) {
          const { kind, message } = unknownKey(entry.key, name, known, hints, at.homes)
          at.report.mistake(entry.place, here.path, kind, message)
          // It is there, under another name; once is enough to say so.
          meant.push(...known.filter((word) => message.endsWith(`did you mean \`${word}\`?`)))
        }
      }
      noteMissing(at, new Set([...places.keys(), ...meant]), tree.place)
      return { values: values as Values<K>, places, place: tree.place, path: at.path }
    },
    schema: (defs) => ({
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(keys).map(([word, { shape, about }]) => [
          word,
          { ...shape.schema(defs), description: about },
        ]),
      ),
      required: known.filter((word) => keys[word]?.example !== undefined),
      additionalProperties: false,
      ...schema,
    }),
  }
}
