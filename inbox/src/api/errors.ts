import type { WireCompleted, WireError } from '../../../src/api/approval.ts'

/** The server answered, and the answer is no. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  /** Which argument is wrong, where it is one. */
  readonly at: readonly string[] | undefined
  /** What the tool's schema makes of an edit, where it adds something. */
  readonly completed: WireCompleted | undefined

  constructor(status: number, { code, message, hint, at, completed }: WireError['error']) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
    this.at = at
    this.completed = completed
  }
}

/** The server did not answer. Whether a change was made is unknown. */
export class NetworkError extends Error {}

/** The browser or the device refused; the message says what. */
export class DeviceError extends Error {}

/** One sentence for a person, whatever went wrong; empty when nothing did. */
export function errorMessage(error: unknown): string {
  if (error === null || error === undefined) return ''
  if (error instanceof ApiError) return [error.message, error.hint].filter(Boolean).join(' ')
  if (error instanceof NetworkError || error instanceof DeviceError) return error.message
  return 'Something broke in this page. Reload it; nothing was decided.'
}
