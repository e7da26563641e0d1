import type { ModelMessage, ToolSet } from 'ai'
import type { Approval } from '../../approval/approval.ts'
import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import { answerInBand, askedDigestOf, type InBand, idOf } from '../in-band.ts'
import type { Answer } from './answers.ts'
import {
  declaredWithoutContext,
  type GuardedTool,
  guardedBehind,
  stands,
  stood,
} from './guarded-tool.ts'
import { isNo, openRequests, type Request, type Response } from './open-requests.ts'

export interface ResumeOptions {
  /**
   * Who answered in the chat, as the application has authenticated them. Without it an answer in
   * the messages decides nothing: any sender of messages could have written it.
   */
  readonly by?: InBand['by']
  /** Of the gate: answers in the chat are written down there. */
  readonly approvals?: AnswerBook
  /**
   * The digest that the card showed for each answered call, by `toolCallId`. Where it is given, an
   * answer counts for exactly that; where not, for the call as the messages have it.
   */
  readonly seen?: Readonly<Record<string, string>>
}

export interface Waiting {
  readonly toolCallId: string
  readonly toolName: string
  readonly message: string
}

export type Resumed =
  /** Every gated call of the turn is decided: hand these to generateText or streamText. */
  | {
      readonly status: 'ready'
      readonly messages: ModelMessage[]
      /** For pages and stored chats: see `withAnswers`. */
      readonly answers: readonly Answer[]
    }
  /** Some are not. Resuming now would lose the results of the others. */
  | { readonly status: 'waiting'; readonly waiting: readonly Waiting[] }

/**
 * Looks up how the paused calls of the last turn stand, and writes the SDK's answers from that.
 * What the messages say is replaced where people were asked here; where they were not, the SDK
 * asked for the application, and the answer in the messages stands.
 */
export async function resumeTurn(
  tools: ToolSet,
  messages: readonly ModelMessage[],
  options: ResumeOptions = {},
): Promise<Resumed> {
  const requests = openRequests(messages)
  if (requests.length === 0) return { status: 'ready', messages: [...messages], answers: [] }
  const waiting: Waiting[] = []
  const responses: Response[] = []
  for (const request of requests) {
    const { toolCallId, toolName } = request
    const tool = guardedBehind(Object.hasOwn(tools, toolName) ? tools[toolName] : undefined)
    const settled = tool ? await settle(tool, request, options) : ownAnswer(request)
    if (typeof settled !== 'string') responses.push(settled)
    else waiting.push({ toolCallId, toolName, message: settled })
  }
  if (waiting.length > 0) return { status: 'waiting', waiting }
  return {
    status: 'ready',
    messages: [...withoutAnswers(messages, requests), { role: 'tool', content: responses }],
    answers: responses.map(answerOf),
  }
}

/** The application's question: its answer stays as it is, and without one the turn waits. */
function ownAnswer({ answer }: Request): Response | string {
  return answer ?? 'This call waits for an answer in the chat.'
}

/** The SDK's answer for one call, or why there is none yet. */
async function settle(
  tool: GuardedTool,
  request: Request,
  options: ResumeOptions,
): Promise<Response | string> {
  const { input, toolCallId, answer, approvalId, isRepeated } = request
  const before = await stood(tool, input, toolCallId)
  if (before && hasRun(before)) return yesTo(approvalId)
  // A yes to the earlier call asks nothing here, so whatever asks now is the application.
  if (before?.status === 'approved' && isRepeated && !answer) return ownAnswer(request)
  let now = before
  // Asked by the SDK alone: only after its yes are others asked, so that theirs never stands for it.
  if (!now) {
    if (!answer?.approved) return ownAnswer(request)
    now = await stands(tool, input, toolCallId, await declaredWithoutContext(tool, input))
    if (now.status === 'allowed') return answer
  }
  if (now.status === 'pending' && answer) now = await answered(tool, request, now, answer, options)
  if (now.status === 'blocked')
    return { ...yesTo(approvalId), approved: false, reason: now.modelMessage }
  // A no that decides nothing still ends the call here: not to run needs no permission.
  if (answer?.approved === false) return answer
  return now.status === 'pending' ? now.modelMessage : yesTo(approvalId)
}

/** Then how it ended is the answer, whatever the messages say by now. */
function hasRun(now: Stands): boolean {
  const execution =
    'approval' in now
      ? (now.approval as Approval | undefined)?.execution
      : 'execution' in now && now.execution
  return now.status === 'approved' && Boolean(execution)
}

async function answered(
  tool: GuardedTool,
  { input, toolCallId }: Request,
  now: Stands,
  answer: Response,
  { by, approvals, seen }: ResumeOptions,
): Promise<Stands> {
  const id = idOf(now)
  if (id === undefined || !by || !approvals) return now
  const digest = seen ? shownIn(seen, toolCallId) : askedDigestOf(now)
  if (digest === undefined) return now
  await answerInBand(approvals, id, {
    by,
    approved: answer.approved,
    seen: digest,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
  })
  return (await stood(tool, input, toolCallId)) ?? now
}

/** From a request's body: nothing inherited, and text alone. */
function shownIn(seen: Readonly<Record<string, unknown>>, toolCallId: string): string | undefined {
  const digest = Object.hasOwn(seen, toolCallId) ? seen[toolCallId] : undefined
  return typeof digest === 'string' ? digest : undefined
}

function yesTo(approvalId: string): Response {
  return { type: 'tool-approval-response', approvalId, approved: true }
}

function answerOf({ approvalId, approved, reason }: Response): Answer {
  const type = 'tool-approval-response'
  return { type, approvalId, approved, ...(reason === undefined ? {} : { reason }) }
}

/** Without what the messages say of these, which is said anew. */
function withoutAnswers(
  messages: readonly ModelMessage[],
  requests: readonly Request[],
): ModelMessage[] {
  const byId = new Map(requests.map((request) => [request.approvalId, request]))
  const byCall = new Map(requests.map((request) => [request.toolCallId, request]))
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'tool') return [message]
    const content = message.content.filter((part) =>
      part.type === 'tool-approval-response'
        ? !byId.has(part.approvalId)
        : !isNo(part, byCall.get(part.toolCallId)?.answer),
    )
    return content.length > 0 ? [{ ...message, content }] : []
  })
}
