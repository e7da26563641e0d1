/**
 * A chat on Cloudflare whose calls ask first. Each user has a Durable Object of their own, so the
 * object's name says who answers in it; the door lets nobody else in.
 */
import { AIChatAgent } from '@cloudflare/ai-chat'
import { routeAgentRequest, type Schedule } from 'agents'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import {
  type Answer,
  blockedText,
  completeApprovals,
  guardTools,
  inCallOrder,
  isPaused,
  isTurnStepCount,
  resumeTurn,
  withAnswers,
} from 'countersign/ai-sdk'
import { remoteGate } from 'countersign/client'
import { z } from 'zod'
import { rehearsalModel } from './model.ts'
import { signedIn } from './session.ts'

interface Env {
  readonly COUNTERSIGN_URL: string
  /** Made with `countersign token create --agent chat-worker --vouch`. */
  readonly COUNTERSIGN_TOKEN: string
  readonly SESSION_SECRET: string
  /** Where the tools do what they do. */
  readonly BANK_URL: string
}

const ISSUED = { issuer: 'https://login.example.com', groups: [], roles: [] } as const

export class ChatAgent extends AIChatAgent<Env> {
  /** Cloudflare's own types say this, where they are installed. */
  declare protected readonly env: Env
  answers: readonly Answer[] = []

  override async onChatMessage(): Promise<Response | undefined> {
    const { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token } = this.env
    // A confirmation is for the user this object belongs to: the name is as in the address.
    const user = decodeURIComponent(this.name)
    const gate = remoteGate({ url, token }).with({ principal: user })
    const tools = guardTools(gate, toolsAt(this.env.BANK_URL), { run: this.name })
    const turn = await resumeTurn(tools, await convertToModelMessages(this.messages, { tools }), {
      // Your sign-in has verified the address.
      by: { ...ISSUED, subject: user, email: user, emailVerified: true },
      approvals: gate.approvals,
    })
    if (turn.status === 'waiting') return undefined
    this.answers = [...this.answers, ...turn.answers]
    const result = streamText({
      model: rehearsalModel(),
      messages: turn.messages,
      tools,
      stopWhen: isTurnStepCount(5, turn.messages),
      prepareStep: inCallOrder,
    })
    const stream = withAnswers(turn, result.stream)
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, onError: blockedText }),
    })
  }

  /** What other people review is looked for; the object may sleep in between. */
  protected override async onChatResponse(): Promise<void> {
    if (isPaused(this.messages)) await this.scheduleEvery(2, 'look')
  }

  override async onStart(): Promise<void> {
    await this.onChatResponse()
  }

  async look(_: undefined, { id }: Schedule): Promise<void> {
    if (isPaused(this.messages)) await this.continueLastTurn()
    if (!isPaused(this.messages)) await this.cancelSchedule(id)
  }

  /** The SDK stores a message before its calls are answered: docs/guides/cloudflare-agents.md. */
  protected override sanitizeMessageForPersistence(message: UIMessage): UIMessage {
    return completeApprovals(structuredClone(message), { answers: this.answers })
  }
}

function toolsAt(bank: string) {
  const inputSchema = z.object({ to: z.string(), amount: z.number() })
  const tell = (what: string) => async (payment: z.infer<typeof inputSchema>) => {
    await fetch(bank, { method: 'POST', body: JSON.stringify({ what, ...payment }) })
    return `${what}: ${payment.amount} to ${payment.to}`
  }
  return {
    pay: tool({ description: 'Pays a supplier.', inputSchema, execute: tell('paid') }),
    refund: tool({ description: 'Gives money back.', inputSchema, execute: tell('refunded') }),
  }
}

// biome-ignore lint/style/noDefaultExport: this is where Workers have their handler.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/up') return new Response(null, { status: 204 })
    const [, name] = /^\/agents\/chat-agent\/([^/]+)/.exec(pathname) ?? []
    if (name === undefined) return new Response('There is nothing here.', { status: 404 })
    const user = await signedIn(request, env.SESSION_SECRET)
    if (user === undefined) return new Response('Sign in first.', { status: 401 })
    if (decodeURIComponent(name) !== user) return new Response('Not your chat.', { status: 403 })
    return (await routeAgentRequest(request, env)) ?? new Response('No such chat.', { status: 404 })
  },
}
