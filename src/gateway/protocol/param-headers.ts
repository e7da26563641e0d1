import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { headerValue, readHeaderValue } from './header-value.ts'
import { RPC, RpcError } from './message.ts'

/** An argument that `x-mcp-header` repeats in a header, so that proxies can route by it. */
export interface ParamHeader {
  /** The whole name of the header, in lower case. */
  readonly header: string
  /** The keys that lead to the argument. */
  readonly path: readonly string[]
}

const KEY = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Keywords that hold values: what looks like a schema in there is none. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])
/** Keywords that hold schemas by names of any kind. */
const NAMED: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
])

/** The headers a tool declares. A text says why they cannot be sent. */
export function declaredHeaders(inputSchema: unknown): readonly ParamHeader[] | string {
  const found: ParamHeader[] = []
  const problem = visit(inputSchema, [], found)
  if (problem !== undefined) return problem
  const isUnique = new Set(found.map(({ header }) => header)).size === found.length
  return isUnique ? found : 'two arguments have the same header'
}

/** `path`: undefined where an argument cannot be found by keys alone. */
function visit(
  schema: unknown,
  path: readonly string[] | undefined,
  found: ParamHeader[],
): string | undefined {
  if (Array.isArray(schema)) return first(schema, (item) => visit(item, undefined, found))
  if (!isPlainObject(schema)) return undefined
  if (Object.hasOwn(schema, KEY)) {
    const { [KEY]: name, type } = schema
    if (path === undefined || path.length === 0) return 'it is not on a property of the arguments'
    if (typeof name !== 'string' || !TOKEN.test(name)) return 'its name is no name for a header'
    if (!isPrimitive(type)) return 'its argument is no string, integer or boolean'
    found.push({ header: `mcp-param-${name.toLowerCase()}`, path })
  }
  return first(Object.entries(schema), ([keyword, value]) => {
    if (keyword === KEY || VALUES.has(keyword)) return undefined
    const isNamed = keyword === 'properties' || NAMED.has(keyword)
    if (!isNamed || !isPlainObject(value)) return visit(value, undefined, found)
    return first(Object.entries(value), ([key, one]) =>
      visit(one, keyword === 'properties' && path ? [...path, key] : undefined, found),
    )
  })
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

function isPrimitive(type: unknown): boolean {
  if (!Array.isArray(type)) return PRIMITIVES.has(type)
  const [only, ...others] = type.filter((one) => one !== 'null')
  return others.length === 0 && PRIMITIVES.has(only)
}

function argumentAt(args: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args
  for (const key of path) {
    value =
      isPlainObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
  }
  return value ?? undefined
}

/** The headers that a call with these arguments has. */
export function paramHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    declared.flatMap(({ header, path }) => {
      const value = argumentAt(args, path)
      return value === undefined || typeof value === 'object'
        ? []
        : [[header, headerValue(String(value))]]
    }),
  )
}

/** Throws where a header and its argument differ: others may have looked at the header alone. */
export function assertParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject,
  headers: Headers,
): void {
  for (const { header, path } of declared) {
    if (!isRepeated(argumentAt(args, path), headers.get(header))) {
      throw new RpcError(
        RPC.headerMismatch,
        `the header ${header} does not say what the argument ${path.join('.')} says`,
      )
    }
  }
}

function isRepeated(value: Json | undefined, header: string | null): boolean {
  if (value === undefined) return header === null
  const said = header === null ? undefined : readHeaderValue(header)
  if (said === undefined || typeof value === 'object') return false
  if (typeof value !== 'number') return said === String(value)
  // Beyond these, two numbers may be the same to us and not to others.
  const isWhole = Number.isSafeInteger(value) && /^-?(?:0|[1-9]\d*)(?:\.0+)?$/.test(said)
  return isWhole && Number(said) === value
}
