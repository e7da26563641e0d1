/** `countersign/ai-sdk/react`: a card and a hook for chats with `useChat`. For browsers: no gate inside. */
export type { ShownCall } from '../shown-call.ts'
export { afterPageTools } from './after-page-tools.ts'
export { ApprovalCard, type ApprovalCardProps, type CardAnswer } from './approval-card.ts'
export { type Approvals, type News, type UseApprovals, useApprovals } from './use-approvals.ts'
