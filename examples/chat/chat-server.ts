/** The two endpoints behind a chat page with `useChat` and `countersign/ai-sdk/react`. */
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { createGate, parsePolicy } from 'countersign'
import {
  blockedText,
  guardTools,
  inCallOrder,
  isTurnStepCount,
  resumeTurn,
  showTurn,
  withAnswers,
} from 'countersign/ai-sdk'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

/** The person your own sign-in names. Never read it from the body of a request. */
export interface User {
  readonly issuer: string
  readonly subject: string
}

interface Posted {
  readonly messages: UIMessage[]
  /** What the cards showed, by call: an answer counts for exactly that. */
  readonly seen?: Readonly<Record<string, string>>
}

const text = `
version: 1
tools:
  pay: { approval: { message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?" } }
  refund: { approval: { message_template: "Refund {{tool_args.amount}}?", approvers: [ana@example.com] } }
`

/** One chat of one user. `fetch` mounts in Hono, Next, Express or a Worker. */
export function createChat(model: LanguageModel, user: User, chatId: string) {
  const ran: string[] = []
  const store = memoryStore()
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store,
    agent: 'shop-assistant',
    // A confirmation is for the user the chat belongs to.
    principal: user,
  })
  const amount = z.object({ to: z.string(), amount: z.number() })
  const tools = guardTools(
    gate,
    {
      pay: tool({
        description: 'Pays a supplier.',
        inputSchema: amount,
        execute: async ({ to, amount: sum }) => {
          ran.push(`pay ${sum} to ${to}`)
          return { paid: sum }
        },
      }),
      refund: tool({
        description: 'Gives a customer money back.',
        inputSchema: amount,
        execute: async ({ to, amount: sum }) => {
          ran.push(`refund ${sum} to ${to}`)
          return { refunded: sum }
        },
      }),
    },
    { run: chatId },
  )
  const by = { ...user, groups: [], roles: [] }
  const people = { by, approvals: gate.approvals }
  let saved: readonly UIMessage[] = []

  /** What the cards show: from the approvals, never from what a page sent. */
  async function approvals(): Promise<Response> {
    const messages = await convertToModelMessages([...saved], { tools })
    return Response.json(await showTurn(tools, messages, people))
  }

  async function chat({ messages, seen = {} }: Posted): Promise<Response> {
    const said = await convertToModelMessages(messages, { tools })
    const turn = await resumeTurn(tools, said, { ...people, seen })
    if (turn.status === 'waiting') {
      return createUIMessageStreamResponse({ stream: createUIMessageStream({ execute() {} }) })
    }
    const result = streamText({
      model,
      tools,
      messages: turn.messages,
      stopWhen: isTurnStepCount(8, turn.messages),
      prepareStep: inCallOrder,
    })
    const stream = toUIMessageStream({
      stream: withAnswers(turn, result.stream),
      originalMessages: messages,
      onError: blockedText,
      onEnd: ({ messages: all }) => {
        saved = all
      },
    })
    return createUIMessageStreamResponse({ stream })
  }

  return {
    gate,
    ran,
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET' && pathname === '/approvals') return approvals()
      if (request.method === 'POST' && pathname === '/chat') {
        return chat((await request.json()) as Posted)
      }
      return new Response('Not found', { status: 404 })
    },
    async close() {
      await gate.close()
      await store.close()
    },
  }
}
