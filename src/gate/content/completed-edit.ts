import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { type Keys, MASK } from '../../base/secrets/mask.ts'

/** An edit with what the schema made of it. */
export interface CompletedEdit {
  /** As the person would send it: secrets they were not shown stay masked. */
  readonly arguments: Json
  /** Where it differs from what they sent. Items of lists are named by their place. */
  readonly added: readonly Keys[]
}

export interface Completing {
  readonly sent: JsonObject
  /** The same, with the secrets put back. */
  readonly typed: JsonObject
  /** What the schema made of that. */
  readonly filled: JsonObject
  /** What of it people may not see. */
  readonly masked: readonly Keys[]
}

export function completedEdit({ sent, typed, filled, masked }: Completing): CompletedEdit {
  const added: Keys[] = []
  const hidden = new Set(masked.map((keys) => JSON.stringify(keys)))

  function complete(mine: Json | undefined, was: Json | undefined, now: Json, keys: Keys): Json {
    if (JSON.stringify(was) === JSON.stringify(now) && mine !== undefined) return mine
    if (isPlainObject(was) && isPlainObject(now)) {
      const members = Object.entries(now as JsonObject).map(([key, value]): [string, Json] => [
        key,
        complete(member(mine, key), member(was as Json, key), value, [...keys, key]),
      ])
      for (const key of Object.keys(was)) if (!Object.hasOwn(now, key)) added.push([...keys, key])
      return Object.fromEntries(members)
    }
    if (Array.isArray(was) && Array.isArray(now)) {
      if (now.length < was.length) added.push(keys)
      return now.map((item: Json, index) =>
        complete(member(mine, String(index)), member(was, String(index)), item, [
          ...keys,
          String(index),
        ]),
      )
    }
    added.push(keys)
    // What the schema adds stands in the schema, which they see. What it makes of a secret does not.
    return was !== undefined && isHidden(keys) ? MASK : now
  }

  function isHidden(keys: Keys): boolean {
    return keys.some((_, depth) => hidden.has(JSON.stringify(keys.slice(0, depth + 1))))
  }

  return { arguments: complete(sent, typed, filled, []), added }
}

function member(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as JsonObject)[key]
}
