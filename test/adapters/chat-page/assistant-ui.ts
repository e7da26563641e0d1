import { useChat } from '@ai-sdk/react'
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartComponent,
} from '@assistant-ui/react'
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import { DefaultChatTransport } from 'ai'
import { type ShownCall, useApprovals } from 'countersign/ai-sdk/react'
import { ApprovalsProvider, approvalTool } from 'countersign/assistant-ui'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'

async function load(): Promise<readonly ShownCall[]> {
  const response = await fetch('/approvals')
  if (!response.ok) throw new Error('no answer')
  return (await response.json()) as readonly ShownCall[]
}

const State: ToolCallMessagePartComponent = ({ toolName, result }) =>
  h('p', { 'data-tool': toolName }, result === undefined ? '' : String(result))

const Fallback: ToolCallMessagePartComponent = approvalTool(State)

const Text = ({ text }: { readonly text: string }) => h('p', { 'data-said': true }, text)

const Message = () =>
  h(
    MessagePrimitive.Root,
    null,
    h(MessagePrimitive.Parts, { components: { Text, tools: { Fallback } } }),
  )

/** The page of the guide: a thread of assistant-ui, and nothing about approvals but hook and card. */
function Page() {
  const chat = useChat({ transport: new DefaultChatTransport({ api: '/chat' }) })
  const approvals = useApprovals({
    messages: chat.messages,
    status: chat.status,
    load,
    onNews: (body) => void chat.sendMessage(undefined, { body }),
    every: 50,
  })
  const runtime = useAISDKRuntime(chat)
  return h(
    ApprovalsProvider,
    { approvals },
    h(
      AssistantRuntimeProvider,
      { runtime },
      h(
        ThreadPrimitive.Root,
        null,
        h(ThreadPrimitive.Messages, { components: { Message } }),
        h(
          ComposerPrimitive.Root,
          null,
          h(ComposerPrimitive.Input, { 'aria-label': 'Message' }),
          h(ComposerPrimitive.Send, null, 'Send'),
        ),
      ),
    ),
  )
}

const root = document.getElementById('root')
if (root) createRoot(root).render(h(Page))
