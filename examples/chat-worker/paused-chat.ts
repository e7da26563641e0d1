/** What every chat of this kind needs: it sleeps while people think, and goes on when they answered. */
import { AIChatAgent } from '@cloudflare/ai-chat'
import type { Schedule } from 'agents'
import {
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  type ToolSet,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import {
  type Answer,
  blockedText,
  completeApprovals,
  inCallOrder,
  isPaused,
  isTurnStepCount,
  type Resumed,
  withAnswers,
} from 'countersign/ai-sdk'

export abstract class PausedChat<Env> extends AIChatAgent<Env> {
  /** Cloudflare's own types say this, where they are installed. */
  declare protected readonly env: Env
  answers: readonly Answer[] = []
  /** Seconds between two looks at what other people review. */
  protected readonly looksEvery: number = 2

  /** What the model says next, or nothing while a call still waits. */
  protected goOn(
    turn: Resumed,
    { model, tools }: { readonly model: LanguageModel; readonly tools: ToolSet },
  ): Response | undefined {
    if (turn.status === 'waiting') return undefined
    this.answers = [...this.answers, ...turn.answers]
    const { messages } = turn
    const stopWhen = isTurnStepCount(5, messages)
    const result = streamText({ model, messages, tools, stopWhen, prepareStep: inCallOrder })
    const stream = withAnswers(turn, result.stream)
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, onError: blockedText }),
    })
  }

  /** What other people review is looked for; the object may sleep in between. */
  protected override async onChatResponse(): Promise<void> {
    if (isPaused(this.messages)) await this.scheduleEvery(this.looksEvery, 'look')
  }

  /** The object may have died after it stored the question, and before it made the schedule. */
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
