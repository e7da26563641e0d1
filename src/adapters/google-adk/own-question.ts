import type { Context, Event } from '@google/adk'
import { isPlainObject } from '../../base/json/json.ts'
import type { Stands } from '../../gate/internals.ts'
import { REQUEST_CONFIRMATION } from './confirmation.ts'

/*
 * Tools of the ADK can ask by themselves: for a confirmation, or for credentials. Those questions
 * and their answers are the tool's. Nothing here lets a call run that the gate holds.
 */

const REQUEST_CREDENTIAL = 'adk_request_credential'

/** The hint of answers that only carry on what people decided: they answer no question of a tool. */
export const SETTLED = 'countersign:settled'

type Confirmation = NonNullable<Context['toolConfirmation']>

/** Whether this answer was given to the tool's own question. */
export function answersTool(said: Confirmation | undefined): said is Confirmation {
  return said !== undefined && said.hint !== SETTLED
}

/** Whether the tool has asked for something in this run of it. */
export function asksItself(context: Context): boolean {
  const { functionCallId: id, actions } = context
  return (
    isRequested(context) || (id !== undefined && Object.hasOwn(actions.requestedAuthConfigs, id))
  )
}

/** The same for a confirmation alone, which pauses the ADK. */
export function isRequested({ functionCallId: id, actions }: Context): boolean {
  return id !== undefined && Object.hasOwn(actions.requestedToolConfirmations, id)
}

/** Whether the ADK goes on with a call because what its tool asked for has come. */
export function isAnswered(context: Context, said: Confirmation | undefined): boolean {
  return answersTool(said) || hasCredential(context)
}

/** As the ADK finds it: the last thing said is a user's credential, for a request about this call. */
function hasCredential({ invocationContext, functionCallId }: Context): boolean {
  const { events } = invocationContext.session
  const last = events.findLast(({ content }) => content !== undefined)
  if (last?.author !== 'user') return false
  const answered = new Set(
    (last.content?.parts ?? []).flatMap(({ functionResponse }) =>
      functionResponse?.name === REQUEST_CREDENTIAL ? [functionResponse.id] : [],
    ),
  )
  return requestsIn(events, REQUEST_CREDENTIAL).some(
    ({ id, args }) => answered.has(id) && args.function_call_id === functionCallId,
  )
}

/** Whether the session holds a request for a confirmation of this call. */
export function wasRequested({ invocationContext, functionCallId }: Context): boolean {
  return requestsFor(invocationContext.session.events, functionCallId).length > 0
}

/** Every request for a confirmation of this call, oldest first. */
export function requestsFor(events: readonly Event[], callId: string | undefined) {
  return requestsIn(events, REQUEST_CONFIRMATION).filter(({ args }) => {
    const { originalFunctionCall: call } = args
    return isPlainObject(call) && call.id === callId
  })
}

function requestsIn(events: readonly Event[], asked: string) {
  const authored = events.filter(({ author }) => author !== 'user')
  return authored.flatMap(({ content }) =>
    (content?.parts ?? []).flatMap(({ functionCall }) => {
      const { id, name, args = {} } = functionCall ?? {}
      return name === asked ? [{ id, args: args as Readonly<Record<string, unknown>> }] : []
    }),
  )
}

/**
 * Whether people decide about this question, and not the tool's own user. Where the call has run
 * already, the first request was ours, and all that came after it are the tool's.
 */
export function isOurs(now: Stands, isFirst: boolean): boolean {
  if (now.status === 'allowed') return false
  return now.status !== 'approved' || isFirst || !hasRun(now)
}

function hasRun(now: Stands): boolean {
  const { execution, approval } = now as {
    readonly execution?: unknown
    readonly approval?: { readonly execution?: unknown }
  }
  return (execution ?? approval?.execution) !== undefined
}
