import type { Context } from 'hono'
import type { WireCompleted, WireError } from '../../api/approval.ts'
import type { FormMistake } from '../../api/form/form.ts'
import { CountersignError, ERRORS, type ErrorCode, isCountersignError } from '../../base/errors.ts'
import { errorFields, type Log } from '../log.ts'

/** What to do next, where the error itself does not say. */
const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  wrong_host: 'Open the address that `countersign start` printed.',
  wrong_origin: 'Only the page of this server may call it from a browser.',
  wrong_type: 'Send the header content-type: application/json.',
  not_found: 'The inbox is at /, and /openapi.json lists everything else.',
  too_large: 'Send a body of at most 1 MB.',
  not_signed_in: 'Run `countersign open` for a sign-in link; agents send their token.',
  signin_expired: 'Run `countersign open` for another one.',
  signin_refused: 'Begin again from the sign-in page.',
  token_unknown: 'Make one with `countersign token create --agent NAME`.',
  csrf_mismatch: 'Sign in, and send the csrf of its answer in the header x-countersign-csrf.',
  too_many_requests: 'Wait a minute.',
  not_permitted: 'Ask a person who has the role for it.',
  call_changed: 'Read the approval again and decide about what it says now.',
  approval_not_found: 'Check the id; agents see their own approvals only.',
  reason_required: 'Send a reason.',
  payload_required: 'Send the answers to the form of the card as payload.',
}

/** Of the context: what a route adds to `www-authenticate`. */
export const CHALLENGE = 'challenge'

/** Seconds until a client that could not be served should retry. */
const RETRY_AFTER = 1

export function refuse(
  c: Context,
  code: ErrorCode,
  message: string,
  hint = HINTS[code],
  more: Pick<WireError['error'], 'at' | 'sentence' | 'completed' | 'mistakes'> = {},
): Response {
  const body: WireError = {
    error: {
      code,
      message,
      hint:
        hint ??
        (ERRORS[code].http === 503
          ? 'Send it again in a moment.'
          : 'Correct it and send it again.'),
      ...more,
    },
  }
  if (ERRORS[code].http === 401) {
    const wrong = code === 'token_unknown' ? ', error="invalid_token"' : ''
    const more: unknown = c.get(CHALLENGE)
    const how = typeof more === 'string' ? `, ${more}` : ''
    c.header('www-authenticate', `Bearer realm="countersign"${wrong}${how}`)
  }
  return c.json(body, ERRORS[code].http)
}

/** Errors of ours with their status; of anything else only that it happened. */
export function refuseError(
  error: unknown,
  c: Context,
  { log, request }: { readonly log: Log; readonly request: string },
): Response {
  if (isCountersignError(error) && error.code !== 'internal') {
    const { code, message, hint, details } = error
    if (ERRORS[code].http >= 500) {
      log.write('warn', 'refused', { request, code, ...errorFields(error) })
    }
    const isAway = ERRORS[code].http === 503
    const wait = details.retryAfter ?? (isAway ? RETRY_AFTER : undefined)
    if (typeof wait === 'number') c.header('retry-after', String(wait))
    return refuse(c, code, message, hint, {
      ...(isKeys(details.at) ? { at: details.at } : {}),
      ...(details.isSentence === true ? { sentence: true } : {}),
      ...(code === 'edit_completed' ? { completed: details.completed as WireCompleted } : {}),
      ...(code === 'payload_invalid' ? { mistakes: details.mistakes as FormMistake[] } : {}),
    })
  }
  log.write('error', 'internal', { request, ...errorFields(error) })
  return refuse(
    c,
    'internal',
    'something broke inside Countersign',
    'This is a bug. Please report it.',
  )
}

function isKeys(at: unknown): at is readonly string[] {
  return Array.isArray(at) && at.every((key) => typeof key === 'string')
}

export function notFound(): CountersignError {
  return new CountersignError('not_found', 'there is nothing at this address')
}
