import type { JsonObject } from '../base/json/json.ts'

/*
 * Records and the storage of SDKs hold JSON, so what an adapter has to say stands there beside what
 * tools returned. Both are told apart by one key. A result that has this key itself is wrapped
 * before it is stored, so nothing that a tool returns, or fetched, is ever read as the adapter's.
 */
const KEY = 'countersign'

/** The tool was started, and waits for something that it asked for itself. */
interface Paused {
  readonly [KEY]: 'paused'
  /** As a person changed them. */
  readonly args?: JsonObject
}

/** A sentence in place of a result, or beside one. */
export interface Told {
  readonly [KEY]: 'told'
  readonly message: string
  readonly result?: unknown
}

interface Wrapped {
  readonly [KEY]: 'result'
  readonly result: unknown
}

export function pausedRecord(args: JsonObject | undefined): Paused {
  return { [KEY]: 'paused', ...(args === undefined ? {} : { args }) }
}

export function told(message: string, ...result: [] | [unknown]): Told {
  return { [KEY]: 'told', message, ...(result.length === 0 ? {} : { result: result[0] }) }
}

/**
 * What a tool returned, in a form that is not read as anything else. `looksOurs` says what the SDK
 * itself would misread.
 */
export function wrapped(output: unknown, looksOurs: (stored: unknown) => boolean = no): unknown {
  if (!isAmbiguous(output, looksOurs)) return output
  const result: Wrapped = { [KEY]: 'result', result: output }
  return result
}

type Read =
  | { readonly is: 'result'; readonly result: unknown }
  | { readonly is: 'paused'; readonly args: JsonObject | undefined }
  | { readonly is: 'told'; readonly told: Told }

export function read(stored: unknown): Read {
  const isObject = typeof stored === 'object' && stored !== null && Object.hasOwn(stored, KEY)
  const is: unknown = isObject ? (stored as Partial<Paused | Told | Wrapped>)[KEY] : undefined
  if (is === 'result') return { is, result: (stored as Wrapped).result }
  if (is === 'paused') return { is, args: (stored as Paused).args }
  if (is === 'told') return { is, told: stored as Told }
  return { is: 'result', result: stored }
}

function no(): boolean {
  return false
}

function isAmbiguous(output: unknown, looksOurs: (stored: unknown) => boolean): boolean {
  if (typeof output !== 'object' || output === null) return false
  try {
    const { toJSON } = output as { readonly toJSON?: unknown }
    const stored: unknown = typeof toJSON === 'function' ? toJSON.call(output, '') : output
    return KEY in Object(stored) || looksOurs(stored)
  } catch {
    return true
  }
}
