import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Prompt = Parameters<MockLanguageModelV4['doStream']>[0]['prompt']

/** Reads "Pay Northwind 40" and "Refund Lena 15", and says what became of it. Put your own here. */
export function rehearsalModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const told = resultsIn(prompt)
      const [, verb, to, amount] = /(pay|refund) (\w+) (\d+)/i.exec(askedIn(prompt)) ?? []
      const isCall = told === undefined && verb !== undefined
      const text = told ?? 'Say "Pay Northwind 40".'
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          ...(isCall
            ? [
                {
                  type: 'tool-call' as const,
                  toolCallId: crypto.randomUUID(),
                  toolName: verb.toLowerCase(),
                  input: JSON.stringify({ to, amount: Number(amount) }),
                },
              ]
            : [
                { type: 'text-start' as const, id: 't' },
                { type: 'text-delta' as const, id: 't', delta: text },
                { type: 'text-end' as const, id: 't' },
              ]),
          {
            type: 'finish',
            finishReason: isCall
              ? { unified: 'tool-calls' as const, raw: 'tool-calls' }
              : { unified: 'stop' as const, raw: 'stop' },
            usage: USAGE,
          },
        ]),
      }
    },
  })
}

function askedIn(prompt: Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  if (last?.role !== 'user') return ''
  return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** What the tools of this turn said, where they did. */
function resultsIn(prompt: Prompt): string | undefined {
  const from = prompt.findLastIndex(({ role }) => role === 'user')
  const parts = prompt.slice(from).flatMap((one) => (one.role === 'tool' ? one.content : []))
  const said = parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
  return said.length === 0 ? undefined : `I read: ${JSON.stringify(said)}`
}
