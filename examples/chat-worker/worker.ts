/**
 * A chat on Cloudflare whose calls ask first. Each user has a Durable Object of their own, so the
 * object's name says who answers in it; the door lets nobody else in.
 */
import { routeAgentRequest } from 'agents'
import { convertToModelMessages, tool } from 'ai'
import { guardTools, resumeTurn } from 'countersign/ai-sdk'
import { remoteGate } from 'countersign/client'
import { z } from 'zod'
import { rehearsalModel } from './model.ts'
import { PausedChat } from './paused-chat.ts'
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

export class ChatAgent extends PausedChat<Env> {
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
    return this.goOn(turn, { model: rehearsalModel(), tools })
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
