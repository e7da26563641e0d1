import type { JsonObject } from '../../base/json.ts'

/*
 * The record and Mastra's storage hold JSON, so what the adapter has to say stands there beside
 * what tools returned. Both are told apart by one key. A result that has this key itself is wrapped
 * before it is stored, so nothing that a tool returns, or fetched, is ever read as the adapter's.
 */
const KEY = 'countersign'

/** The tool was started and has suspended itself. */
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

/** What a tool returned, in a form that is not read as anything else. */
export function wrapped(output: unknown): unknown {
  if (!isAmbiguous(output)) return output
  const result: Wrapped = { [KEY]: 'result', result: output }
  return result
}

type Read =
  | { readonly is: 'result'; readonly result: unknown }
  | { readonly is: 'paused'; readonly args: JsonObject | undefined }
  | { readonly is: 'told'; readonly told: Told }

export function read(stored: unknown): Read {
  const { [KEY]: is } = ownFields(stored)
  if (is === 'result') return { is, result: (stored as Wrapped).result }
  if (is === 'paused') return { is, args: (stored as Paused).args }
  if (is === 'told') return { is, told: stored as Told }
  return { is: 'result', result: stored }
}

/** What Mastra gives in place of running a tool whose arguments do not fit its schema. */
export interface Misfit {
  readonly error: true
  readonly message: string
  readonly validationErrors: unknown
}

export function isMisfit(output: unknown): output is Misfit {
  const { error, message, validationErrors } = ownFields(output) as Partial<Misfit>
  return error === true && validationErrors !== undefined && typeof message === 'string'
}

function isAmbiguous(output: unknown): boolean {
  if (typeof output !== 'object' || output === null) return false
  try {
    const { toJSON } = output as { readonly toJSON?: unknown }
    const stored: unknown = typeof toJSON === 'function' ? toJSON.call(output, '') : output
    return KEY in Object(stored) || isMisfit(stored)
  } catch {
    return true
  }
}

function ownFields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.hasOwn(value, KEY) || Object.hasOwn(value, 'error')
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}
