import { isToolUIPart, type ToolSet } from 'ai'
import { guardedBehind, stood } from '../adapters/ai-sdk/guarded-tool.ts'
import type { Approval } from '../approval/approval.ts'
import type { ChatMessage } from './conversation.ts'

/** A call of the last message that people were asked about and that has no result yet. */
export interface PausedCall {
  readonly toolCallId: string
  /** Absent where it is not on record: then it cannot run either. */
  readonly approval: Approval | undefined
  /** Why it does not run, where that is settled. */
  readonly refused: string | undefined
}

const NO_RECORD = 'The question about this call is not on record any more, so it did not run.'

/** Whether calls of the last message may still wait for people. */
export function hasQuestions(messages: readonly ChatMessage[]): boolean {
  return openParts(messages).length > 0
}

function openParts(messages: readonly ChatMessage[]) {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  return last.parts.filter(isToolUIPart).filter(({ state }) => state === 'approval-requested')
}

/** Read from the approvals: what a stored message says of an answer counts for nothing. */
export async function pausedCalls(
  tools: ToolSet,
  messages: readonly ChatMessage[],
): Promise<PausedCall[]> {
  return Promise.all(
    openParts(messages).map(async (part) => {
      const { toolCallId } = part
      const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
      const tool = guardedBehind(Object.hasOwn(tools, name) ? tools[name] : undefined)
      const now = tool && (await stood(tool, part.input, toolCallId))
      if (!now) return { toolCallId, approval: undefined, refused: NO_RECORD }
      const approval = 'approval' in now ? (now.approval as Approval | undefined) : undefined
      const refused = now.status === 'blocked' ? now.modelMessage : undefined
      return { toolCallId, approval, refused }
    }),
  )
}

/** The messages with these calls ended as not run, each with the sentence the model reads. */
export function asRefused(
  messages: readonly ChatMessage[],
  refused: ReadonlyMap<string, string>,
): ChatMessage[] {
  return changeLast(messages, (part) => {
    if (!isToolUIPart(part) || part.approval === undefined) return part
    const reason = refused.get(part.toolCallId)
    if (reason === undefined || part.state !== 'approval-requested') return part
    const approval = { id: part.approval.id, approved: false, reason }
    return { ...part, state: 'output-denied', approval } as Part
  })
}

const LOST =
  'The server stopped while this call ran, so its result is unknown. Do not call it again before checking whether it took effect.'

/** What a process that was killed left half done is told as it is: not known. */
export function asInterrupted(messages: readonly ChatMessage[]): ChatMessage[] {
  return changeLast(messages, (part) => {
    if (part.type === 'text' && part.state === 'streaming') return { ...part, state: 'done' }
    if (!isToolUIPart(part)) return part
    if (part.state === 'input-streaming') return undefined
    if (part.state !== 'input-available' && part.state !== 'approval-responded') return part
    return { ...part, state: 'output-error', errorText: LOST } as Part
  })
}

type Part = ChatMessage['parts'][number]

function changeLast(
  messages: readonly ChatMessage[],
  change: (part: Part) => Part | undefined,
): ChatMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return [...messages]
  const parts = last.parts.flatMap((part) => change(part) ?? [])
  return [...messages.slice(0, -1), { ...last, parts }]
}
