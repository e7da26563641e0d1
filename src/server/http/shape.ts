import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'

/**
 * The shape of something sent to the server: reads it, and describes itself as JSON Schema. The
 * published description cannot differ from what is accepted, because it is the same thing.
 */
export interface Shape<T> {
  readonly schema: Json
  /** Throws `invalid_value` with the path of what is wrong. */
  read(value: unknown, path: string): T
  readonly isOptional?: true
}

type Read<S> = S extends Shape<infer T> ? T : never
type OptionalKeys<F> = { [K in keyof F]: F[K] extends { isOptional: true } ? K : never }[keyof F]
type Fields<F> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Read<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: Read<F[K]>
}

export function text(limits: { min?: number; max: number; description?: string }): Shape<string> {
  const { min = 0, max, description } = limits
  return {
    schema: {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      ...(description === undefined ? {} : { description }),
    },
    read(value, path) {
      if (typeof value !== 'string') throw wrong(path, 'is not a text')
      if (value.length < min) throw wrong(path, 'is empty')
      if (value.length > max) throw wrong(path, `is longer than ${max} characters`)
      return value
    },
  }
}

/** 64 hexadecimal digits. */
export function digest(description: string): Shape<string> {
  const pattern = '^[0-9a-f]{64}$'
  return {
    schema: { type: 'string', pattern, description },
    read(value, path) {
      if (typeof value === 'string' && new RegExp(pattern).test(value)) return value
      throw wrong(path, 'is not a digest')
    },
  }
}

export function oneOf<const T extends string>(...words: readonly T[]): Shape<T> {
  return {
    schema: { type: 'string', enum: words },
    read(value, path) {
      const found = words.find((word) => word === value)
      if (found === undefined) throw wrong(path, `is none of ${words.join(', ')}`)
      return found
    },
  }
}

export function whole({ min, max }: { min: number; max: number }): Shape<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    read(value, path) {
      const fits = typeof value === 'number' && Number.isSafeInteger(value)
      if (!fits || value < min || value > max) {
        throw wrong(path, `is no whole number from ${min} to ${max}`)
      }
      return value
    },
  }
}

export function list<T>(item: Shape<T>, { max }: { max: number }): Shape<readonly T[]> {
  return {
    schema: { type: 'array', items: item.schema, maxItems: max },
    read(value, path) {
      if (!Array.isArray(value)) throw wrong(path, 'is not a list')
      if (value.length > max) throw wrong(path, `has more than ${max} items`)
      return value.map((one: unknown, index) => item.read(one, `${path}[${index}]`))
    },
  }
}

export function number({ min }: { min: number }): Shape<number> {
  return {
    schema: { type: 'number', minimum: min },
    read(value, path) {
      if (typeof value === 'number' && Number.isFinite(value) && value >= min) return value
      throw wrong(path, `is no number from ${min}`)
    },
  }
}

export const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read(value, path) {
    if (typeof value === 'boolean') return value
    throw wrong(path, 'is neither true nor false')
  },
}

/** Any JSON. What it holds was read strictly already. */
export const anyJson: Shape<Json> = { schema: {}, read: (value) => value as Json }

export function optional<T>(shape: Shape<T>): Shape<T> & { readonly isOptional: true } {
  return { ...shape, isOptional: true }
}

/** Unknown keys are refused: a misspelt one must not be taken for an absent one. */
export function object<F extends { readonly [key: string]: Shape<unknown> }>(
  fields: F,
): Shape<Fields<F>> {
  const entries = Object.entries(fields)
  const known = entries.map(([key]) => key)
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
      required: entries.filter(([, { isOptional }]) => !isOptional).map(([key]) => key),
      additionalProperties: false,
    },
    read(value, path) {
      if (!isPlainObject(value)) throw wrong(path, 'is not an object')
      for (const key of Object.keys(value)) {
        if (!known.includes(key)) throw wrong(at(path, key), `is unknown; use ${known.join(', ')}`)
      }
      const read = entries.flatMap(([key, shape]) => {
        const present = Object.hasOwn(value, key)
        if (present) return [[key, shape.read(value[key], at(path, key))]]
        if (shape.isOptional) return []
        throw wrong(at(path, key), 'is missing')
      })
      return Object.fromEntries(read) as Fields<F>
    },
  }
}

function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function wrong(path: string, what: string): CountersignError {
  return new CountersignError('invalid_value', `${path || 'the body'} ${what}`)
}
