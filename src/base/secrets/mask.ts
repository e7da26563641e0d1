import { CountersignError, isCountersignError } from '../errors.ts'
import { isPlainObject } from '../json/json.ts'
import { isSecretName } from './secret-name.ts'
import { type SchemaMarks, type Schemas, schemaMarks } from './secret-schema.ts'
import { MASK, secretSpans } from './secret-text.ts'

export { MASK } from './secret-text.ts'

export type Keys = readonly string[]

/** What is known of a call's secrets besides what their names and forms tell. */
export interface Secrecy {
  /** Named in the policy, or hidden before. */
  readonly paths?: readonly SecretPath[]
  /** JSON Schema of the arguments: `writeOnly`, `format: password`, `x-secret`. */
  readonly schema?: unknown
  /** Secrets themselves, to be hidden wherever they are quoted. */
  readonly known?: readonly string[]
}

export interface SecretPath {
  readonly keys: Keys
  /** Whether it also leads into lists; paths of policies do not. */
  readonly items?: boolean
}

export interface Masked<T> {
  readonly value: T
  /** Where something was replaced. Items of lists are named by their place. */
  readonly masked: readonly Keys[]
}

const DEEPEST = 64

/** Of a tool without a schema. */
const UNMARKED: SchemaMarks = { root: [], isSecret: () => false, child: (schemas) => schemas }

/**
 * The one way from a value to what may be shown, logged or sent. The very same value when there is
 * nothing to hide.
 */
export function mask<T>(value: T, { paths = [], schema, known = [] }: Secrecy = {}): Masked<T> {
  const walk = new Walk(schema === undefined ? UNMARKED : schemaMarks(schema), known)
  try {
    const shown = walk.inside(value, {
      keys: [],
      paths,
      schemas: walk.marks.root,
    })
    return { value: shown as T, masked: walk.masked }
  } catch (error) {
    if (isCountersignError(error)) throw error
    // Objects with a mind of their own. What cannot be read cannot be shown.
    throw new CountersignError('invalid_value', 'the value cannot be read as plain JSON', {
      cause: error,
    })
  }
}

/** Secrets inside a text, replaced; everything around them stays. */
export function maskText(text: string, known: readonly string[] = []): string {
  const shown = hideSpans(text)
  return known.reduce((rest, secret) => rest.replaceAll(secret, MASK), shown)
}

function hideSpans(text: string): string {
  const spans = secretSpans(text)
  if (spans.length === 0) return text
  let shown = ''
  let at = 0
  for (const [from, to] of spans) {
    shown += text.slice(at, from) + MASK
    at = to
  }
  return shown + text.slice(at)
}

interface Place {
  readonly keys: Keys
  /** What is left of the paths that lead through here. */
  readonly paths: readonly SecretPath[]
  readonly schemas: Schemas
}

class Walk {
  readonly marks: SchemaMarks
  readonly masked: Keys[] = []
  readonly #known: readonly string[]

  constructor(marks: SchemaMarks, known: readonly string[]) {
    this.marks = marks
    this.#known = known
  }

  inside(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#text(value, place.keys)
    if (Array.isArray(value)) return this.#list(value, place)
    if (typeof value === 'number' && this.#known.includes(String(value))) {
      return this.#hidden(place.keys)
    }
    return isPlainObject(value) ? this.#object(value, place) : value
  }

  #text(text: string, keys: Keys): string {
    const shown = maskText(text, this.#known)
    if (shown !== text) this.masked.push(keys)
    return shown
  }

  #list(list: readonly unknown[], place: Place): unknown {
    assertDepth(place)
    const shown = list.map((item, index) => this.#member(item, String(index), place, true))
    return shown.every((item, index) => Object.is(item, list[index])) ? list : shown
  }

  #object(object: Readonly<Record<string, unknown>>, place: Place): unknown {
    assertDepth(place)
    const keys = Object.keys(object)
    // A secret used as a name cannot be hidden in its place: then nothing inside is shown.
    if (keys.some(isSecretItself)) return this.#whole(place.keys)
    const named = pairedName(object)
    let isSame = true
    const shown = keys.map((key): [string, unknown] => {
      const member = object[key]
      const hides = isSecretName(key) || (named !== undefined && VALUES.has(key))
      const next = hides ? this.#hidden([...place.keys, key]) : this.#member(member, key, place)
      isSame &&= Object.is(next, member)
      return [key, next]
    })
    // Entries, not assignment: a key called __proto__ must stay an ordinary one.
    return isSame ? object : Object.fromEntries(shown)
  }

  #member(value: unknown, key: string, place: Place, isItem = false): unknown {
    const keys = [...place.keys, key]
    const paths = place.paths
      .filter(({ keys: [first], items = false }) => first === key && (items || !isItem))
      .map((path) => ({ ...path, keys: path.keys.slice(1) }))
    const schemas = this.marks.child(place.schemas, key, isItem)
    if (paths.some((path) => path.keys.length === 0) || this.marks.isSecret(schemas)) {
      return this.#hidden(keys)
    }
    // A path leads on, but there is nothing to lead into, so the position of the secret is unknown.
    if (paths.some((path) => !leadsInto(value, path))) return this.#hidden(keys)
    return this.inside(value, { keys, paths, schemas })
  }

  #hidden(keys: Keys): string {
    this.masked.push(keys)
    return MASK
  }

  /** Arguments are an object, masked or not. */
  #whole(keys: Keys): unknown {
    const hidden = this.#hidden(keys)
    return keys.length === 0 ? { [MASK]: hidden } : hidden
  }
}

function leadsInto(value: unknown, { items = false }: SecretPath): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) ? items : isPlainObject(value)
}

/** Ordinary names are too short for a token and give no value to anything. */
function isSecretItself(key: string): boolean {
  return !/^[\w.-]{0,15}$/.test(key) && secretSpans(key).length > 0
}

function assertDepth({ keys }: Place): void {
  if (keys.length < DEEPEST) return
  const at = keys.map((key) => `.${key}`).join('')
  throw new CountersignError('too_deep', `$${at} is nested too deeply, or holds itself`)
}

const NAMES = ['name', 'key', 'header', 'variable'] as const
const VALUES: ReadonlySet<string> = new Set(['value', 'values', 'data'])

/** `{ name: 'Authorization', value: '…' }`, as headers and variables are often listed. */
function pairedName(object: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of NAMES) {
    const name = Object.hasOwn(object, key) ? object[key] : undefined
    if (typeof name === 'string' && isSecretName(name)) return name
  }
  return undefined
}
