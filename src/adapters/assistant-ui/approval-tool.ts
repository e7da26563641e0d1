import {
  type ComponentType,
  createContext,
  createElement as h,
  type ReactElement,
  type ReactNode,
  useContext,
} from 'react'
import { ApprovalCard, type CardAnswer } from '../ai-sdk/react/approval-card.ts'
import type { Approvals } from '../ai-sdk/react/use-approvals.ts'

/** As much of what assistant-ui hands to a tool component as is used here. */
export interface ToolProps {
  readonly toolCallId: string
  readonly approval?: { readonly id: string }
  readonly respondToApproval: (response: {
    readonly approved: boolean
    readonly reason?: string
  }) => Promise<void>
}

const Shown = createContext<Approvals | undefined>(undefined)

/** Around the thread: what `useApprovals` gave. Leave its `respond` out; the part answers here. */
export function ApprovalsProvider({
  approvals,
  children,
}: {
  readonly approvals: Approvals
  readonly children?: ReactNode
}): ReactElement {
  return h(Shown.Provider, { value: approvals }, children)
}

/**
 * For `tools` of `MessagePrimitive.Parts`: the card of a call that people were asked about, as the
 * approvals know it and never as the message tells it, and then your own component for tools.
 */
export function approvalTool<P extends ToolProps>(Tool?: ComponentType<P>): ComponentType<P> {
  return function ApprovalTool(props: P): ReactElement {
    const approvals = useContext(Shown)
    const { approval, respondToApproval } = props
    const answer = ({ approved, reason, ...shown }: CardAnswer) => {
      // What was shown is noted first: a yes is good for that and nothing else.
      approvals?.answer({ ...shown, approved, ...(reason === undefined ? {} : { reason }) })
      const response = { approved, ...(reason === undefined ? {} : { reason }) }
      // One that is not taken leaves the question open, here after a reload and in the inbox.
      void respondToApproval(response).catch(() => {})
    }
    return h(
      'div',
      { 'data-call': props.toolCallId },
      approval === undefined
        ? null
        : h(ApprovalCard, {
            call: approvals?.of(props),
            isStale: approvals?.isStale ?? false,
            ...(approvals ? { onAnswer: answer } : {}),
          }),
      Tool ? h(Tool, props) : null,
    )
  }
}
