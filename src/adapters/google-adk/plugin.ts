import type { BaseAgent, BasePlugin, Event, InvocationContext } from '@google/adk'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import {
  answersIn,
  confirmationRequest,
  REQUEST_CONFIRMATION,
  requestPart,
} from './confirmation.ts'
import {
  type InSession,
  isAboutAnswers,
  type OpenQuestion,
  openQuestions,
  settle,
} from './settle-session.ts'

type Content = NonNullable<Event['content']>
type Part = NonNullable<Content['parts']>[number]

export interface ConfirmationsOptions extends InSession {
  readonly warn?: (text: string) => void
}

/**
 * A plugin for the runner, so that any ADK front end can ask and answer. Questions carry the ids of
 * their calls; answers are read in every form, and written down where they count. A turn goes on
 * when everything in it is decided, and until then no model is asked.
 */
export async function confirmations(options: ConfirmationsOptions = {}): Promise<BasePlugin> {
  const { BasePlugin: Plugin, ReadonlyContext } = await sdk()
  const { warn, ...inSession } = options
  /** Invocations that began with an answer which does not decide everything. */
  const held = new WeakSet<InvocationContext>()

  class Confirmations extends Plugin {
    constructor() {
      super('countersign_confirmations')
    }

    override async onUserMessageCallback({
      userMessage,
      invocationContext,
    }: {
      userMessage: Content
      invocationContext: InvocationContext
    }): Promise<Content | undefined> {
      if (!userMessage || !isAboutAnswers({ content: userMessage })) return undefined
      const { session, agent } = invocationContext
      if (!agent) return undefined
      const { appName, userId, id: sessionId } = session
      const settled = await settle(agent.rootAgent as BaseAgent, session.events, {
        ...inSession,
        name: { appName, userId, sessionId },
        answers: answersIn({ content: userMessage }, warn),
        context: new ReadonlyContext(invocationContext),
      })
      if (settled.status === 'ready') return settled.newMessage as Content
      held.add(invocationContext)
      // Without an id it answers nothing, so that the questions can still be answered.
      const response = { waiting: settled.status === 'waiting' ? settled.waiting : [] }
      return {
        role: 'user',
        parts: [{ functionResponse: { name: REQUEST_CONFIRMATION, response } }],
      }
    }

    override async beforeRunCallback({
      invocationContext,
    }: {
      invocationContext: InvocationContext
    }): Promise<Content | undefined> {
      if (!held.delete(invocationContext)) return undefined
      const asked = openQuestions(invocationContext.session.events)
      const parts: Part[] = asked.flatMap(({ id, event }) =>
        (event.content?.parts ?? []).filter(({ functionCall }) => functionCall?.id === id),
      )
      return { role: 'model', parts }
    }

    override async onEventCallback({
      event,
      invocationContext,
    }: {
      event: Event
      invocationContext: InvocationContext
    }): Promise<Event | undefined> {
      return withRequests(event, invocationContext.session.events)
    }
  }

  return new Confirmations()
}

/** The event that pauses a turn, with the questions under the ids of their calls as well. */
function withRequests(event: Event, before: readonly Event[]): Event | undefined {
  const questions = inOrder(openQuestions([event]), before)
  if (questions.length === 0) return undefined
  const { requestedToolConfirmations: requested } = event.actions
  const requests = questions.map(({ call }) => {
    const { hint, payload } = requested[call.id] ?? {}
    return confirmationRequest(call, {
      ...(hint ? { hint } : {}),
      ...(payload === undefined ? {} : { payload: payload as JsonObject }),
    })
  })
  return {
    ...event,
    longRunningToolIds: [
      ...(event.longRunningToolIds ?? []),
      ...requests.map(({ originalFunctionCall }) => originalFunctionCall.id),
    ],
    content: {
      ...event.content,
      parts: [...(event.content?.parts ?? []), ...(requests.map(requestPart) as Part[])],
    },
  }
}

/** That of the calls: where ids look like numbers, the SDK has them in another one. */
function inOrder(questions: OpenQuestion[], before: readonly Event[]): OpenQuestion[] {
  const parts = before.flatMap(({ content }) => content?.parts ?? [])
  const place = new Map(parts.map(({ functionCall }, index) => [functionCall?.id, index]))
  const placeOf = ({ call }: OpenQuestion) => place.get(call.id) ?? parts.length
  return questions.sort((one, other) => placeOf(one) - placeOf(other))
}

async function sdk(): Promise<typeof import('@google/adk')> {
  try {
    return await import('@google/adk')
  } catch (cause) {
    throw new CountersignError('peer_missing', '@google/adk is not installed', {
      hint: 'Run npm install @google/adk.',
      cause,
    })
  }
}
