import type {
  LanguageModelV4,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { nextStep, type RehearsalStep } from './rehearsal-script.ts'

export const REHEARSAL = 'rehearsal'

/**
 * A model that needs no key and no network: it reads a few plain requests, calls the tools they
 * name, and tells what came of it. What it calls goes through the same gate as any other model's.
 */
export function rehearsalModel(delayMs = 12): LanguageModelV4 {
  async function* parts(step: RehearsalStep): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    if (step.text !== '') {
      yield { type: 'text-start', id: 'said' }
      for (const delta of step.text.match(/\S+\s*|\s+/g) ?? []) {
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        yield { type: 'text-delta', id: 'said', delta }
      }
      yield { type: 'text-end', id: 'said' }
    }
    for (const { tool, args } of step.calls) {
      const toolCallId = `call-${crypto.randomUUID()}`
      yield { type: 'tool-call', toolCallId, toolName: tool, input: JSON.stringify(args) }
    }
    const unified = step.calls.length > 0 ? 'tool-calls' : 'stop'
    yield { type: 'finish', finishReason: { unified, raw: unified }, usage: USAGE }
  }

  return {
    specificationVersion: 'v4',
    provider: 'countersign',
    modelId: REHEARSAL,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the rehearsal model only streams')),
    async doStream({ prompt, tools = [] }) {
      const known = tools.flatMap((one) =>
        one.type === 'function' ? [{ name: one.name, schema: one.inputSchema }] : [],
      )
      const step = nextStep(prompt as LanguageModelV4Prompt, known)
      return { stream: streamOf(parts(step)) }
    },
  }
}

function streamOf<T>(parts: AsyncGenerator<T>): ReadableStream<T> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}
