import { isToolUIPart, type UIMessage } from 'ai'

/** How one question of the turn was answered, as a part of the SDK's streams. */
export interface Answer {
  readonly type: 'tool-approval-response'
  readonly approvalId: string
  readonly approved: boolean
  /** Why not: the sentence for the model. */
  readonly reason?: string
}

interface Answered {
  readonly answers: readonly Answer[]
}

/**
 * The stream of a resumed turn, with the answers in front: `stream` of streamText, or the UI stream
 * made of it. The SDK only tells a page how calls ended, and `validateUIMessages` refuses a chat
 * whose ended parts do not say whether they were approved.
 */
export function withAnswers<PART extends { readonly type: string }>(
  { answers }: Answered,
  stream: ReadableStream<PART>,
): ReadableStream<PART> {
  let isTold = answers.length === 0
  return stream.pipeThrough(
    new TransformStream<PART, PART>({
      transform(part, controller) {
        // The page has to know which message is continued before anything changes in it.
        const isStart = part.type === 'start'
        if (isStart) controller.enqueue(part)
        if (!isTold) for (const answer of answers) controller.enqueue(answer as unknown as PART)
        isTold = true
        if (!isStart) controller.enqueue(part)
      },
    }),
  )
}

/**
 * A message as `validateUIMessages` accepts it, for agents that keep their own copy of the stream
 * and drop the answers in it. A call that ended without an answer, because a page wrote its output,
 * is not said to be approved.
 */
export function completeApprovals<MESSAGE extends UIMessage>(
  message: MESSAGE,
  { answers }: Answered = { answers: [] },
): MESSAGE {
  const parts = message.parts.map((part) => {
    if (!isToolUIPart(part) || part.approval === undefined) return part
    const { approval, state } = part
    const answer = answers.find(({ approvalId }) => approvalId === approval.id)
    const approved = answer?.approved ?? approval.approved
    const reason = answer?.reason ?? approval.reason
    switch (state) {
      case 'output-denied':
        return { ...part, approval: { ...approval, approved: false, ...said(reason) } }
      case 'output-available':
      case 'output-error': {
        if (approved) return { ...part, approval: { ...approval, approved, ...said(reason) } }
        const { approval: _, ...unanswered } = part
        return unanswered
      }
      default:
        return part
    }
  })
  return { ...message, parts: parts as MESSAGE['parts'] }
}

function said(reason: string | undefined): object {
  return reason === undefined ? {} : { reason }
}
