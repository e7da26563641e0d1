/*
 * What the two sides of a sandbox say to each other, one JSON text a line. The parent takes nothing
 * that the child says for granted: whatever runs in there may have broken out of the interpreter.
 */

export type Language = 'javascript' | 'typescript'

export interface Limits {
  /** Milliseconds that code of the tool may run, waits not counted. */
  readonly cpu: number
  /** Milliseconds from the start to the end, waits included. */
  readonly wall: number
  /** Bytes that values of the tool may take. */
  readonly memory: number
  /** Bytes of the result, as JSON. */
  readonly result: number
  readonly logLines: number
  /** Characters of one line of the log. */
  readonly logLine: number
  /** Requests to the parent: each fetch, each key read or written. */
  readonly requests: number
}

export const LIMITS: Limits = {
  cpu: 1_000,
  wall: 10_000,
  memory: 32 * 1_048_576,
  result: 262_144,
  logLines: 200,
  logLine: 2_000,
  requests: 50,
}

export interface RunMessage {
  readonly type: 'run'
  readonly source: string
  readonly language: Language
  /** JSON text. */
  readonly args: string
  /** Names alone: values never enter the sandbox. */
  readonly secrets: readonly string[]
  /** Stands in the marks that the tool gets instead of values. */
  readonly word: string
  readonly limits: Limits
  /** Not a call of an agent: its author tries it, or its stored test runs. */
  readonly isTest: boolean
}

export interface ReplyMessage {
  readonly type: 'reply'
  readonly id: number
  readonly value?: string
  readonly error?: string
}

export type ToChild = RunMessage | ReplyMessage

/** Why a run ended without a result. */
export type EndKind =
  | 'thrown'
  | 'syntax'
  | 'cpu'
  | 'wall'
  | 'stuck'
  | 'result'
  | 'crashed'
  | 'output'

export interface RunError {
  readonly kind: EndKind
  readonly message: string
  /** `tool.js:3:9`, where that is known. */
  readonly at?: string
}

export type FromChild =
  | { readonly type: 'log'; readonly level: string; readonly text: string }
  | { readonly type: 'host'; readonly id: number; readonly what: string; readonly body: string }
  | { readonly type: 'end'; readonly result: string }
  | { readonly type: 'end'; readonly error: RunError }
