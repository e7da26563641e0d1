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
  isPaused,
  isTurnStepCount,
  resumeTurn,
  withAnswers,
} from 'countersign/ai-sdk'
import { remoteGate } from 'countersign/client'
import { z } from 'zod'
import { scriptedChat } from '../scripted-chat.ts'

interface Env {
  readonly COUNTERSIGN_URL: string
  readonly COUNTERSIGN_TOKEN: string
  /** Where the tools do what they do: it outlives every Worker. */
  readonly BANK_URL: string
}

/** The agent of the guide, with a scripted model. Its object may sleep while people think. */
export class ChatAgent extends AIChatAgent<Env> {
  /** The platform's own types, which say this, are not installed here. */
  declare protected readonly env: Env
  answers: readonly Answer[] = []

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
    if (turn.status === 'waiting') return undefined
    this.answers = [...this.answers, ...turn.answers]
    const { messages } = turn
    const stopWhen = isTurnStepCount(5, messages)
    const result = streamText({ model: scriptedChat(), messages, tools, stopWhen })
    const stream = withAnswers(turn, result.stream)
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, onError: blockedText }),
    })
  }

  protected override async onChatResponse(): Promise<void> {
    if (isPaused(this.messages)) await this.scheduleEvery(1, 'look')
  }

  /** The object may have died after it stored the question, and before it made the schedule. */
  override async onStart(): Promise<void> {
    await this.onChatResponse()
  }

  async look(_: undefined, { id }: Schedule): Promise<void> {
    if (isPaused(this.messages)) await this.continueLastTurn()
    if (!isPaused(this.messages)) await this.cancelSchedule(id)
  }

  /** The agent stores a message before it is complete, and compares what came later with itself. */
  protected override sanitizeMessageForPersistence(message: UIMessage): UIMessage {
    return completeApprovals(structuredClone(message), { answers: this.answers })
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
