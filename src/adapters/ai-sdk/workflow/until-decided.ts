import type { ModelMessage, ToolSet } from 'ai'
import { type LookOptions, lookAt, looksOf } from '../../../base/looks.ts'
import { openRequests } from '../open-requests.ts'
import type { Steps } from './step.ts'
import { isStepTool } from './step-tools.ts'

type Assistant = Extract<ModelMessage, { role: 'assistant' }>

/**
 * Waits until every paused call of the last turn is decided, and gives the messages that the agent
 * goes on with; undefined where none waits, or where a tool of the page does. The workflow may be
 * stopped and started again meanwhile.
 */
export async function untilDecided(
  tools: ToolSet,
  { messages }: { readonly messages: readonly ModelMessage[] },
  { run, step, wait, looks }: Steps & LookOptions,
): Promise<ModelMessage[] | undefined> {
  const paused = withRequests(messages)
  const open = openRequests(paused)
  if (open.length === 0 || !open.every((one) => one.answer || isOurs(tools, one.toolName)))
    return undefined
  const pauses = looksOf({ looks })
  for (let n = 0; ; n += 1) {
    const reply = await step({ asks: 'resume', run, messages: paused })
    if (reply.is !== 'resumed') throw new Error(`the step of the gate answered ${reply.is}`)
    if (reply.turn.status === 'ready') return reply.turn.messages
    await wait(lookAt(pauses, n))
  }
}

/**
 * The messages with a question for each call that paused. The agent writes its questions to
 * the stream alone, under these ids; what its caller gets does not hold them.
 */
function withRequests(all: readonly ModelMessage[]): ModelMessage[] {
  // The agent puts its instructions in front by itself, each time.
  const messages = all.filter(({ role }) => role !== 'system')
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[last] as Assistant | undefined
  if (!message || typeof message.content === 'string') return messages
  const { content } = message
  const done = new Set(
    messages
      .slice(last)
      .flatMap((one) => (one.role === 'tool' ? one.content : []))
      .flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
  )
  const asked = new Set(
    content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.toolCallId] : [])),
  )
  const requests = content.flatMap((part) => {
    if (part.type !== 'tool-call') return []
    const { toolCallId } = part
    if (done.has(toolCallId) || asked.has(toolCallId)) return []
    const approvalId = `approval-${toolCallId}`
    return [{ type: 'tool-approval-request' as const, approvalId, toolCallId }]
  })
  return messages.with(last, { ...message, content: [...content, ...requests] })
}

function isOurs(tools: ToolSet, name: string): boolean {
  return isStepTool(Object.hasOwn(tools, name) ? tools[name] : undefined)
}
