import type { Json, JsonObject } from '../../base/json/json.ts'

/**
 * `countersign/google-adk/confirmation`: how the ADKs ask for a confirmation and answer it, as
 * plain functions for any front end. None of them decides anything, and none needs the SDK.
 */

/** The function that asks, and answers. */
export const REQUEST_CONFIRMATION = 'adk_request_confirmation'

/** What the model reads after a no. */
export const REJECTED = Object.freeze({ error: 'tool call was rejected by the user' })

export interface ToolConfirmation {
  readonly hint: string
  readonly confirmed: boolean
  /** Structured data attached to the answer. It reaches the tool beside its arguments. */
  readonly payload?: Json
}

export interface OriginalCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

export interface ConfirmationRequest {
  readonly originalFunctionCall: OriginalCall
  readonly toolConfirmation: ToolConfirmation
}

/** As much of a part as is written and read here. */
export interface ConfirmationPart {
  readonly functionResponse: {
    readonly id?: string
    readonly name: string
    readonly response: Readonly<Record<string, unknown>>
    readonly willContinue?: boolean
  }
}

export interface ConfirmationContent {
  readonly role: 'user'
  readonly parts: ConfirmationPart[]
}

export interface PendingEvent {
  readonly content: ConfirmationContent
  readonly longRunningToolIds: string[]
  readonly actions: { readonly requestedToolConfirmations: Record<string, ToolConfirmation> }
}

export function defaultHint(name: string): string {
  return `Approve execution of tool ${name}?`
}

/** The question about one call. */
export function confirmationRequest(
  { id, name, args }: OriginalCall,
  { hint = defaultHint(name), payload }: { readonly hint?: string; readonly payload?: Json } = {},
): ConfirmationRequest {
  const attached = payload === undefined ? {} : { payload }
  return {
    originalFunctionCall: { id, name, args },
    toolConfirmation: { hint, confirmed: false, ...attached },
  }
}

/** The function response that stands in for the result until there is an answer. */
export function requestPart(request: ConfirmationRequest): ConfirmationPart {
  return {
    functionResponse: {
      id: request.originalFunctionCall.id,
      name: REQUEST_CONFIRMATION,
      willContinue: true,
      response: { ...request },
    },
  }
}

/** The event that pauses an invocation: every call that waits, in the order of the calls. */
export function pendingEvent(requests: readonly ConfirmationRequest[]): PendingEvent {
  const ids = requests.map(({ originalFunctionCall }) => originalFunctionCall.id)
  return {
    content: { role: 'user', parts: requests.map(requestPart) },
    longRunningToolIds: ids,
    actions: {
      requestedToolConfirmations: Object.fromEntries(
        requests.map(({ originalFunctionCall, toolConfirmation }) => [
          originalFunctionCall.id,
          toolConfirmation,
        ]),
      ),
    },
  }
}

export interface ConfirmationAnswer {
  readonly hint?: string
  readonly confirmed: boolean
  readonly payload?: Json
}

/** What the application sends when a user has answered: the ids of the calls, and yes or no. */
export function answerContent(
  answers: Iterable<readonly [id: string, answer: ConfirmationAnswer]>,
): ConfirmationContent {
  const parts = [...answers].map(([id, answer]) => ({
    functionResponse: { id, name: REQUEST_CONFIRMATION, response: { ...answer } },
  }))
  return { role: 'user', parts }
}

/** A message, or the event it came in. */
export interface AnswersSource {
  readonly author?: string | undefined
  readonly content?: { readonly parts?: readonly unknown[] | undefined } | undefined
}

/**
 * Everything that was answered, by id, in order; the last answer for an id is the one. Only what a
 * user sent is read. What names no call, or says neither yes nor no, is dropped and warned about.
 */
export function answersIn(
  { author = 'user', content }: AnswersSource,
  warn: (text: string) => void = warnOnConsole,
): Map<string, ToolConfirmation> {
  const answers = new Map<string, ToolConfirmation>()
  if (author !== 'user') return answers
  for (const part of content?.parts ?? []) {
    const response = objectIn(part, 'functionResponse')
    if (response?.name !== REQUEST_CONFIRMATION) continue
    const { id } = response
    if (typeof id !== 'string' || id === '') {
      warn('A tool confirmation without the id of its call was dropped.')
      continue
    }
    const answer = answerOf(response.response)
    if (answer) answers.set(id, answer)
    else warn(`The tool confirmation for ${id} says neither yes nor no, and was dropped.`)
  }
  return answers
}

/** Bare, or inside of `toolConfirmation`, or of `response`, where some front ends send text. */
function answerOf(response: unknown): ToolConfirmation | undefined {
  const fields =
    objectIn(response, 'toolConfirmation') ?? objectIn(response, 'response') ?? asObject(response)
  if (!fields) return undefined
  const { hint = '', confirmed = false, payload } = fields
  if (typeof hint !== 'string' || typeof confirmed !== 'boolean') return undefined
  // A wrapping that was not understood must not be read as an answer that lacks all its fields.
  if (['toolConfirmation', 'response'].some((key) => Object.hasOwn(fields, key))) return undefined
  return { hint, confirmed, ...(payload === undefined ? {} : { payload: payload as Json }) }
}

type Fields = Readonly<Record<string, unknown>>

function objectIn(value: unknown, key: string): Fields | undefined {
  const outer = asObject(value)
  return outer && Object.hasOwn(outer, key) ? asObject(parsed(outer[key])) : undefined
}

function asObject(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : undefined
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

function warnOnConsole(text: string): void {
  console.warn(`countersign: ${text}`)
}
