/** `countersign/assistant-ui`: the approval card for chats with assistant-ui. For browsers: no gate inside. */
export { ApprovalsProvider, approvalTool, type ToolProps } from './approval-tool.ts'
