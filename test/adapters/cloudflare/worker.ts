import { routeAgentRequest } from 'agents'
import { convertToModelMessages, tool } from 'ai'
import { guardTools, resumeTurn } from 'countersign/ai-sdk'
import { remoteGate } from 'countersign/client'
import { z } from 'zod'
import { PausedChat } from '../../../examples/chat-worker/paused-chat.ts'
import { scriptedChat } from '../scripted-chat.ts'

interface Env {
  readonly COUNTERSIGN_URL: string
  readonly COUNTERSIGN_TOKEN: string
  /** Where the tools do what they do: it outlives every Worker. */
  readonly BANK_URL: string
}

/** The agent of the example, with a scripted model. Its object may sleep while people think. */
export class ChatAgent extends PausedChat<Env> {
  protected override readonly looksEvery = 1

  override async onChatMessage(): Promise<Response | undefined> {
    const { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token } = this.env
    const gate = remoteGate({ url, token })
    // Whether policy allows what runs in the page can be said only then.
    await gate.ready()
    const tools = guardTools(
      gate,
      { pay: payingAt(this.env.BANK_URL), where: tool({ inputSchema: z.object({}) }) },
      { run: this.name },
    )
    const turn = await resumeTurn(tools, await convertToModelMessages(this.messages, { tools }))
    return this.goOn(turn, { model: scriptedChat(), tools })
  }
}

function payingAt(bank: string) {
  return tool({
    description: 'Pays somebody.',
    inputSchema: z.object({ to: z.string(), amount: z.number() }),
    execute: async (payment) => {
      await fetch(bank, { method: 'POST', body: JSON.stringify(payment) })
      return `paid ${payment.amount} to ${payment.to}`
    },
  })
}

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    return (await routeAgentRequest(request, env)) ?? new Response('nobody here', { status: 404 })
  },
}
