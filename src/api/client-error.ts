import { CountersignError, ERRORS, type ErrorCode } from '../base/errors.ts'
import { type Client, type ClientOptions, createClient, Refused, Unreachable } from './client.ts'
import type { CallerKind } from './contract.ts'

/** Sentences for a server that does not answer: they depend on who could start it. */
export interface Away {
  readonly message: string
  readonly hint: string
  readonly movedHint: string
}

/** A client that throws the errors that the rest of the code knows. */
export function connect<Caller extends CallerKind>(
  options: ClientOptions,
  away: Away,
): Client<Caller> {
  const client = createClient<Caller>(options)
  return {
    call: (...sent) => ours(away, () => client.call(...sent)),
    send: (...sent) => ours(away, () => client.send(...sent)),
    open: (...sent) => ours(away, () => client.open(...sent)),
  }
}

async function ours<T>(away: Away, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toCountersignError(error, away)
  }
}

function toCountersignError(error: unknown, { message, hint, movedHint }: Away): unknown {
  if (error instanceof Unreachable && error.isMoved) {
    return new CountersignError('server_unreachable', 'the server points somewhere else', {
      hint: movedHint,
    })
  }
  if (error instanceof Unreachable) {
    return new CountersignError('server_unreachable', message, { hint, cause: error.cause })
  }
  if (!(error instanceof Refused)) return error
  const { code, hint: next, retryAfter, sentence, at, completed, mistakes } = error
  if (code === 'unexpected') {
    return new CountersignError('server_unreachable', message, { hint, cause: error })
  }
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'server_unreachable'
  const details = {
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(sentence ? { isSentence: true } : {}),
    ...(at === undefined ? {} : { at }),
    ...(completed === undefined ? {} : { completed }),
    ...(mistakes === undefined ? {} : { mistakes }),
  }
  return new CountersignError(known, error.message, {
    details,
    ...(next === undefined ? {} : { hint: next }),
  })
}
