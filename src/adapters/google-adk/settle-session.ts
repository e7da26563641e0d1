import type { BaseAgent, Event, LlmAgent, ReadonlyContext, Runner } from '@google/adk'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import { answerInBand, type InBand, idOf } from '../in-band.ts'
import type { SessionName } from './asking.ts'
import {
  answerContent,
  answersIn,
  type ConfirmationAnswer,
  type ConfirmationContent,
  REQUEST_CONFIRMATION,
  type ToolConfirmation,
} from './confirmation.ts'
import { type GuardedTool, guardedBehind, stands } from './guard-tool.ts'
import { isOurs, requestsFor, SETTLED } from './own-question.ts'
import { isA } from './tool-words.ts'

type MaybePerson = InBand['by'] | undefined

/** Who answered in the conversation. Without both, what was answered there decides nothing. */
export interface InSession {
  /** As the application has authenticated them: the ADK's user id is only a word. */
  readonly by?: InBand['by'] | ((session: SessionName) => MaybePerson | Promise<MaybePerson>)
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
}

export interface SettleOptions extends InSession {
  readonly userId: string
  readonly sessionId: string
  /** What the user sent, with answers among its parts. */
  readonly message?: { readonly parts?: readonly unknown[] | undefined }
  readonly warn?: (text: string) => void
}

export interface Waiting {
  readonly callId: string
  readonly name: string
  readonly message: string
}

export type Settled =
  /** Every call of the turn is decided: hand this message to `runner.runAsync`. */
  | { readonly status: 'ready'; readonly newMessage: ConfirmationContent }
  /** Some are not. Going on now would leave the model without their results. */
  | { readonly status: 'waiting'; readonly waiting: readonly Waiting[] }
  /** Nothing is paused here. */
  | { readonly status: 'idle' }

/** One request for a confirmation that has no result yet. */
export interface OpenQuestion {
  /** Of the request. The call has its own. */
  readonly id: string
  readonly agent: string
  readonly call: { readonly id: string; readonly name: string; readonly args: JsonObject }
  readonly event: Event
}

/** Looks up how the paused calls of a session stand, and writes the ADK's answers from that. */
export async function settleSession(
  runner: Pick<Runner, 'agent' | 'appName' | 'sessionService'>,
  { userId, sessionId, message, warn, ...inSession }: SettleOptions,
): Promise<Settled> {
  const { appName, agent } = runner
  const session = await runner.sessionService.getSession({ appName, userId, sessionId })
  if (!session) {
    throw new CountersignError('usage', `there is no session ${sessionId} of ${userId}`)
  }
  const answers = answersIn({ content: message }, warn)
  const name = { appName, userId, sessionId }
  return settle(agent as BaseAgent, session.events, { name, answers, ...inSession })
}

interface Settling extends InSession {
  readonly name: SessionName
  readonly answers: ReadonlyMap<string, ToolConfirmation>
  readonly context?: ReadonlyContext
}

export async function settle(
  root: BaseAgent,
  events: readonly Event[],
  settling: Settling,
): Promise<Settled> {
  const questions = openQuestions(events, settling.answers)
  if (questions.length === 0) return { status: 'idle' }
  const waiting: Waiting[] = []
  const decided: [string, ConfirmationAnswer][] = []
  for (const question of questions) {
    const { id, call } = question
    const answer = settling.answers.get(id) ?? settling.answers.get(call.id)
    const guarded = await guardedFor(root, question, settling.context)
    if (!guarded) {
      // Not ours: the application answers for it, and its answer stays as it is.
      if (answer) decided.push([id, answer])
      else waiting.push(waitingFor(question, 'This call waits for an answer.'))
      continue
    }
    const now = await statusNow(guarded, question, answer, settling)
    // A call that blocks has no question in the session: all that are there are its tool's.
    const isPausing = guarded.asking.mode !== 'block'
    const isFirst = isPausing && requestsFor(events, call.id)[0]?.id === id
    if (now.status === 'pending') waiting.push(waitingFor(question, now.modelMessage))
    else if (isOurs(now, isFirst)) {
      decided.push([id, { hint: SETTLED, confirmed: now.status !== 'blocked' }])
    } else if (answer) decided.push([id, own(answer)])
    else waiting.push(waitingFor(question, 'The tool itself waits for an answer.'))
  }
  if (waiting.length > 0) return { status: 'waiting', waiting }
  return { status: 'ready', newMessage: answerContent(decided) }
}

/** What a user said to the tool. It cannot be said in our name. */
function own({ hint, ...answer }: ToolConfirmation): ConfirmationAnswer {
  return hint === SETTLED ? answer : { hint, ...answer }
}

function waitingFor({ call }: OpenQuestion, message: string): Waiting {
  return { callId: call.id, name: call.name, message }
}

async function statusNow(
  guarded: GuardedTool,
  { call }: OpenQuestion,
  answer: ToolConfirmation | undefined,
  { name, by, approvals }: Settling,
): Promise<Stands> {
  const look = (): Promise<Stands> => stands(guarded, call.args, name, { id: call.id })
  const now = await look()
  const id = idOf(now)
  if (now.status !== 'pending' || !answer || !approvals || id === undefined) return now
  const person = typeof by === 'function' ? await by(name) : by
  if (!person) return now
  const { confirmed: approved, payload } = answer
  await answerInBand(approvals, id, {
    by: person,
    approved,
    ...(payload === undefined ? {} : { payload }),
  })
  return look()
}

async function guardedFor(
  root: BaseAgent,
  { agent: author, call }: OpenQuestion,
  context: ReadonlyContext | undefined,
): Promise<GuardedTool | undefined> {
  const agent = isA('agent', root) ? root.findAgent(author) : undefined
  if (!isA('llmAgent', agent)) return undefined
  const tools = await (agent as LlmAgent).canonicalTools(context)
  const tool = tools.find(({ name }) => name === call.name)
  return tool && guardedBehind(tool)
}

/**
 * What the paused turn waits for. A newer message of the user has ended every turn before it,
 * except for questions that are answered by name.
 */
export function openQuestions(
  events: readonly Event[],
  named: ReadonlyMap<string, unknown> = new Map(),
): OpenQuestion[] {
  const start = events.findLastIndex((event) => event.author === 'user' && !isAboutAnswers(event))
  const questions = new Map<string, OpenQuestion>()
  for (const [index, event] of events.entries()) {
    if (event.author === undefined || event.author === 'user') continue
    for (const { functionCall } of event.content?.parts ?? []) {
      const { id, name, args } = functionCall ?? {}
      const call = pinnedIn(args)
      if (name !== REQUEST_CONFIRMATION || !id || !call || questions.has(id)) continue
      const isMeant = index > start || named.has(id) || named.has(call.id)
      if (!isMeant || isAnswered(events.slice(index + 1), call.id)) continue
      questions.set(id, { id, agent: event.author, call, event })
    }
  }
  return [...questions.values()]
}

export function isAboutAnswers({ content }: Pick<Event, 'content'>): boolean {
  return (content?.parts ?? []).some((part) => part.functionResponse?.name === REQUEST_CONFIRMATION)
}

function isAnswered(later: readonly Event[], callId: string): boolean {
  return later.some((event) =>
    (event.content?.parts ?? []).some((part) => part.functionResponse?.id === callId),
  )
}

function pinnedIn(args: Record<string, unknown> | undefined): OpenQuestion['call'] | undefined {
  const call = args?.originalFunctionCall as
    | { readonly id?: string; readonly name?: string; readonly args?: JsonObject }
    | undefined
  return call?.id && call.name ? { id: call.id, name: call.name, args: call.args ?? {} } : undefined
}
