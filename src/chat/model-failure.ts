import { APICallError, RetryError } from 'ai'
import { ModelUnreachable } from './model-connection.ts'

const TRY = 'Try again, or choose another model.'

/** What a person reads when a model gave no answer. A server's own text is not for the page. */
export function modelFailure(error: unknown): string {
  const last = RetryError.isInstance(error) ? error.lastError : error
  // Where it happens while the answer is read, the SDK has wrapped it.
  const root = APICallError.isInstance(last) && last.cause ? last.cause : last
  if (root instanceof ModelUnreachable) return `${root.message} ${TRY}`
  if (!APICallError.isInstance(last)) return `The model did not answer. ${TRY}`
  const { statusCode: status = 0 } = last
  switch (status) {
    case 401:
    case 403:
      return `The model's server refused the key (${status}). The operator of this server has to check it.`
    case 404:
      return `The model's server does not know this model (404). Choose another model.`
    case 429:
      return `The model's server takes no more requests for now (429). ${TRY}`
    default:
      return status >= 400
        ? `The model's server failed (${status}). ${TRY}`
        : `The model did not answer. ${TRY}`
  }
}
