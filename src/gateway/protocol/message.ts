import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'

export type RequestId = string | number

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}

export interface Success {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly result: JsonObject
}

export interface Failure {
  readonly jsonrpc: '2.0'
  readonly id: RequestId | null
  readonly error: WireError
}

export interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

export type Message = Request | Notification | Success | Failure

export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** By a lock or a rule. */
  refused: -32_003,
  /** More at once than one client may have; later it may work. */
  tooMany: -32_004,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const

/** What goes over the wire when a request itself is refused, as opposed to a call. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Json | undefined

  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * No answer will come. What was sent may or may not have had its effect; what was not sent has had
 * none.
 */
export class NoAnswer extends RpcError {
  readonly wasSent: boolean
  /** The status of HTTP that stood in its place. */
  readonly status: number | undefined

  constructor(message: string, wasSent: boolean, status?: number) {
    super(RPC.internal, message)
    this.wasSent = wasSent
    this.status = status
  }
}

export function wireError(error: unknown): WireError {
  if (!(error instanceof RpcError)) return { code: RPC.internal, message: 'something went wrong' }
  const { code, message, data } = error
  return { code, message, ...(data === undefined ? {} : { data }) }
}

const REQUEST_KEYS = new Set(['jsonrpc', 'id', 'method', 'params'])
const RESPONSE_KEYS = new Set(['jsonrpc', 'id', 'result', 'error'])

/**
 * One message, or an `RpcError`. Unknown keys are refused: `Method` beside `method` is read as the
 * method by some programs and ignored by others, and then two of them see two different calls.
 */
export function readMessage(value: unknown): Message {
  if (Array.isArray(value)) throw new RpcError(RPC.invalidRequest, 'batches are not accepted')
  if (!isPlainObject(value) || value.jsonrpc !== '2.0') throw notAMessage()
  const known = 'method' in value ? REQUEST_KEYS : RESPONSE_KEYS
  for (const key in value) if (!known.has(key)) throw notAMessage()
  const { id, method, params, result, error } = value
  const hasId = typeof id === 'string' || Number.isSafeInteger(id)
  if ('method' in value) {
    if (typeof method !== 'string' || ('id' in value && !hasId)) throw notAMessage()
    if (params !== undefined && !isPlainObject(params)) throw notAMessage()
    return value as unknown as Request | Notification
  }
  // Some write both, as JSON-RPC 1 did.
  if (result === null && hasId && isFailure(error)) {
    return { jsonrpc: '2.0', id: id as RequestId, error: error as WireError }
  }
  if (result !== undefined ? !isPlainObject(result) || !hasId : !isFailure(error)) {
    throw notAMessage()
  }
  if (isTooDeep(result ?? error)) throw notAMessage()
  return value as unknown as Success | Failure
}

/** What is nested deeper can be parsed, but not written again: `JSON.stringify` has no stack left. */
const DEEPEST = 500

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue
      for (const item of Object.values(one)) if (typeof item === 'object') next.push(item)
    }
    level = next
  }
  return false
}

/** The request that something which is no message seems to answer. */
export function answeredBy(value: unknown): RequestId | undefined {
  if (!isPlainObject(value) || 'method' in value) return undefined
  const { id } = value
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : undefined
}

function isFailure(error: unknown): boolean {
  return isPlainObject(error) && Number.isInteger(error.code) && typeof error.message === 'string'
}

function notAMessage(): RpcError {
  return new RpcError(RPC.invalidRequest, 'this is not a JSON-RPC 2.0 message')
}

export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message
}

export function isNotification(message: Message): message is Notification {
  return 'method' in message && !('id' in message)
}

/** An object in `params`, or nothing. What a peer sends has any shape. */
export function objectIn(params: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = params && Object.hasOwn(params, key) ? params[key] : undefined
  return isPlainObject(value) ? (value as JsonObject) : undefined
}

export function textIn(params: JsonObject | undefined, key: string): string | undefined {
  const value = params && Object.hasOwn(params, key) ? params[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/*
 * Servers in other languages write numbers that JavaScript does not keep: 12345678901234567890,
 * 1e400, 1.0. The parsed result is what the gate reads; a second copy keeps the source text of such
 * numbers, and only `JSON.stringify` uses it.
 */
const exact = new WeakMap<JsonObject, JsonObject>()

/** As ECMAScript 2026 has it; the compiler's library does not know it yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): { readonly result: JsonObject }
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

/**
 * In texts that hold none of these, every number is written as JavaScript writes it. A number stands
 * behind a colon, a comma, a bracket or a blank; the version in `"jsonrpc":"2.0"` does not.
 */
const MAY_DIFFER = /[:,[\s](?:-0|-?\d{16}|-?\d+[.eE])/

/** What a server wrote. Throws what is no JSON. */
export function parseWritten(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_DIFFER.test(text) || !isPlainObject(value) || !isPlainObject(value.result)) return value
  const written = asWritten(text)
  if (written) exact.set(value.result as JsonObject, written)
  return value
}

function asWritten(text: string): JsonObject | undefined {
  let differs = false
  try {
    const { result } = parse(text, (_, item, { source }) => {
      if (typeof item !== 'number' || source === undefined) return item
      if (JSON.stringify(item) === source) return item
      differs = true
      return rawJSON(source)
    })
    return differs ? result : undefined
  } catch {
    // Nested deeper than this can walk.
    return undefined
  }
}

/** The result to write out for this one. Nothing else may look into it. */
export function writtenAs(result: JsonObject): JsonObject {
  return exact.get(result) ?? result
}

/** Changes a result and what is written for it alike. */
export function changed(
  result: JsonObject,
  change: (result: JsonObject) => JsonObject,
): JsonObject {
  const now = change(result)
  const written = exact.get(result)
  if (written) exact.set(now, change(written))
  return now
}

/** A number as it was written, which is an object to look at. */
export function isWrittenNumber(value: Json): boolean {
  return isRawJSON(value)
}
