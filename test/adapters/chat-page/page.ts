import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import {
  ApprovalCard,
  afterPageTools,
  type ShownCall,
  useApprovals,
} from 'countersign/ai-sdk/react'
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'

async function load(): Promise<readonly ShownCall[]> {
  const response = await fetch('/approvals')
  if (!response.ok) throw new Error('no answer')
  return (await response.json()) as readonly ShownCall[]
}

/** The page of the guide: a whole chat, and nothing about approvals but the hook and the card. */
function Page() {
  const chat = useChat({
    transport: new DefaultChatTransport({ api: '/chat' }),
    sendAutomaticallyWhen: afterPageTools(['where']),
    onToolCall({ toolCall: { toolName, toolCallId } }) {
      if (toolName !== 'where') return
      void chat.addToolOutput({ tool: 'where', toolCallId, output: 'Lisbon' })
    },
  })
  const { messages, status, sendMessage, addToolApprovalResponse, addToolOutput } = chat
  const approvals = useApprovals({
    messages,
    status,
    load,
    respond: addToolApprovalResponse,
    onNews: (body) => void sendMessage(undefined, { body }),
    every: 50,
  })
  const [text, setText] = useState('')
  // What somebody with the browser's tools can do anyway.
  Object.assign(window, { chat })
  return h(
    'main',
    null,
    h('h1', null, 'A chat'),
    messages.flatMap(({ id, parts }) =>
      parts.map((part, index) => {
        const key = `${id}-${index}`
        if (part.type === 'text') return h('p', { key, 'data-said': true }, part.text)
        if (!('toolCallId' in part)) return null
        const { toolCallId } = part
        if (!('approval' in part)) return h('p', { key, 'data-state': part.state }, part.type)
        return h(
          'div',
          { key, 'data-call': toolCallId, 'data-state': part.state },
          h(ApprovalCard, {
            call: approvals.of(part),
            isStale: approvals.isStale,
            onAnswer: approvals.answer,
            onInstead: ({ text: errorText }) =>
              addToolOutput({ tool: 'pay', toolCallId, state: 'output-error', errorText }),
          }),
        )
      }),
    ),
    h(
      'form',
      {
        onSubmit: (event: { preventDefault(): void }) => {
          event.preventDefault()
          void sendMessage({ text })
        },
      },
      h('input', {
        'aria-label': 'Message',
        value: text,
        onChange: (event: { target: { value: string } }) => setText(event.target.value),
      }),
      h('button', { type: 'submit' }, 'Send'),
    ),
  )
}

const root = document.getElementById('root')
if (root) createRoot(root).render(h(Page))
