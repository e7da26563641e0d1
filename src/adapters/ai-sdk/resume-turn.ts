import type { ModelMessage, ToolSet } from 'ai'
import type { Stands } from '../../gate/any-gate.ts'
import { type AnswerBook, answerInBand, type InBand, idOf } from '../in-band.ts'
import { type GuardedTool, guardedBehind, stands } from './guard-tools.ts'
import { isNo, openRequests, type Request, type Response } from './open-requests.ts'

export interface ResumeOptions {
  /**
   * Who answered in the chat, as the application has authenticated them. Without it an answer in
   * the messages decides nothing: anybody who can send messages could have written it.
   */
  readonly by?: InBand['by']
  /** Of the gate: answers in the chat are written down there. */
  readonly approvals?: AnswerBook
}

export interface Waiting {
  readonly toolCallId: string
  readonly toolName: string
  readonly message: string
}

export type Resumed =
  /** Every gated call of the turn is decided: hand these to generateText or streamText. */
  | { readonly status: 'ready'; readonly messages: ModelMessage[] }
  /** Some are not. Resuming now would lose the results of the others. */
  | { readonly status: 'waiting'; readonly waiting: readonly Waiting[] }

/**
 * Looks up how the paused calls of the last turn stand, and writes the SDK's answers from that:
 * what the messages say about it is replaced.
 */
export async function resumeTurn(
  tools: ToolSet,
  messages: readonly ModelMessage[],
  { by, approvals }: ResumeOptions = {},
): Promise<Resumed> {
  const requests = openRequests(messages)
  if (requests.length === 0) return { status: 'ready', messages: [...messages] }
  const waiting: Waiting[] = []
  const responses: Response[] = []
  for (const request of requests) {
    const { toolCallId, toolName, input, answer, approvalId } = request
    const tool = guardedBehind(Object.hasOwn(tools, toolName) ? tools[toolName] : undefined)
    if (!tool) {
      // Not ours: the application answers for it, and its answer stays as it is.
      if (answer) responses.push(answer)
      else waiting.push({ toolCallId, toolName, message: 'This call waits for an answer.' })
      continue
    }
    let now = await stands(tool, input, toolCallId)
    if (now.status === 'pending' && answer && by && approvals) {
      now = await answered(tool, request, now, { by, approvals, answer })
    }
    if (now.status !== 'pending') responses.push(responseFor(approvalId, now))
    // A no that decides nothing still ends the call here: it needs nobody's leave not to run.
    else if (answer?.approved === false) responses.push(answer)
    else waiting.push({ toolCallId, toolName, message: now.message })
  }
  if (waiting.length > 0) return { status: 'waiting', waiting }
  const rest = withoutAnswers(messages, requests)
  return { status: 'ready', messages: [...rest, { role: 'tool', content: responses }] }
}

async function answered(
  tool: GuardedTool,
  { input, toolCallId }: Request,
  now: Stands,
  { by, approvals, answer }: { by: InBand['by']; approvals: AnswerBook; answer: Response },
): Promise<Stands> {
  const id = idOf(now)
  if (id === undefined) return now
  await answerInBand(approvals, id, {
    by,
    approved: answer.approved,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
  })
  return stands(tool, input, toolCallId)
}

function responseFor(approvalId: string, now: Exclude<Stands, { status: 'pending' }>): Response {
  const response = { type: 'tool-approval-response', approvalId } as const
  return now.status === 'deny'
    ? { ...response, approved: false, reason: now.message }
    : { ...response, approved: true }
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
