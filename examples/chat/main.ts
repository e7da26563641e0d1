/**
 * A chat of your own with the AI SDK, offline: `chat-server.ts` has the endpoints, and this program is
 * the page. Lena confirms a payment in the chat; a refund waits for Ana, whatever the page sends.
 * For a page in React, use `useChat` and `countersign/ai-sdk/react`: docs/guides/ai-sdk.md.
 */
import assert from 'node:assert/strict'
import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  isToolUIPart,
  simulateReadableStream,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { ShownCall } from 'countersign/ai-sdk'
import { createChat } from './chat-server.ts'

const lena = { issuer: 'https://login.example.com', subject: 'lena@example.com' }
const model = scripted([
  { tool: 'pay', args: { to: 'Northwind', amount: 40 } },
  'Northwind has its money.',
  { tool: 'refund', args: { to: 'Omar', amount: 15 } },
  'Omar gets his money back.',
])
const server = createChat(model, lena, 'chat-1')
const fetchHere: typeof fetch = (input, init) => server.fetch(new Request(input, init))
const page = openPage()

await page.sendMessage({ text: 'Pay Northwind 40.' })
const [payment] = await shown()
assert.ok(payment?.digest)
assert.deepEqual(server.ran, [])
console.log(`The card asks Lena: ${payment.question}`)
await answer(payment)
console.log(`Lena approved in the chat. It ran once: ${server.ran.join()}. ${said()}`)
assert.deepEqual(server.ran, ['pay 40 to Northwind'])

await page.sendMessage({ text: 'Refund Omar 15.' })
const [refund] = await shown()
assert.equal(refund?.here, false)
await answer(refund)
assert.equal(server.ran.length, 1)
console.log(`A refund is not for Lena to approve, so it waits for ${refund.who.join()}.`)

// What the inbox does when Ana presses the button.
const [asked] = (await server.gate.approvals.list({ status: ['pending'] })).approvals
assert.ok(asked)
await server.gate.approvals.decide(asked.id, {
  by: {
    issuer: 'example',
    subject: 'ana',
    email: 'ana@example.com',
    emailVerified: true,
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  },
  verdict: 'approve',
  seen: asked.digest,
})
await page.sendMessage(undefined, { body: { seen: {} } })
assert.deepEqual(server.ran, ['pay 40 to Northwind', 'refund 15 to Omar'])
console.log(`Ana approved. ${said()}`)
await server.close()

async function shown(): Promise<ShownCall[]> {
  const response = await fetchHere('http://chat.example/approvals')
  return (await response.json()) as ShownCall[]
}

/** The card's Approve: what it showed travels with the answer, and the server decides what it counts for. */
async function answer({ approvalId, toolCallId, digest = '' }: ShownCall): Promise<void> {
  await page.addToolApprovalResponse({ id: approvalId, approved: true })
  await page.sendMessage(undefined, { body: { seen: { [toolCallId]: digest } } })
}

function said(): string {
  const parts = page.messages.at(-1)?.parts ?? []
  assert.ok(parts.filter(isToolUIPart).every(({ state }) => state === 'output-available'))
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** `useChat` without a browser. */
function openPage(): AbstractChat<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: 'ready',
    error: undefined,
    messages: [],
    pushMessage: (message) => {
      state.messages = [...state.messages, message]
    },
    popMessage: () => {
      state.messages = state.messages.slice(0, -1)
    },
    replaceMessage: (at, message) => {
      state.messages = state.messages.with(at, message)
    },
    snapshot: (thing) => structuredClone(thing),
  }
  class Page extends AbstractChat<UIMessage> {}
  const transport = new DefaultChatTransport<UIMessage>({
    api: 'http://chat.example/chat',
    fetch: fetchHere,
  })
  return new Page({ state, transport })
}

/** A model that streams these turns, one for each time it is asked. Put your own in its place. */
function scripted(
  turns: readonly (string | { readonly tool: string; readonly args: object })[],
): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  let at = 0
  return new MockLanguageModelV4({
    doStream: async () => {
      const turn = turns[at++] ?? 'Nothing more.'
      const isText = typeof turn === 'string'
      const unified = isText ? ('stop' as const) : ('tool-calls' as const)
      const parts = isText
        ? [
            { type: 'text-start' as const, id: 'said' },
            { type: 'text-delta' as const, id: 'said', delta: turn },
            { type: 'text-end' as const, id: 'said' },
          ]
        : [
            {
              type: 'tool-call' as const,
              toolCallId: `call-${at}`,
              toolName: turn.tool,
              input: JSON.stringify(turn.args),
            },
          ]
      const finish = {
        type: 'finish' as const,
        finishReason: { unified, raw: unified },
        usage,
      }
      const chunks = [{ type: 'stream-start' as const, warnings: [] }, ...parts, finish]
      return { stream: simulateReadableStream({ chunks, chunkDelayInMs: null }) }
    },
  })
}
