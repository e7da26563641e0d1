import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

interface ScriptedCall {
  readonly id: string
  readonly tool: string
  readonly args: object
}

/** Makes the calls that the user's last message lists as JSON; then repeats what it was told of them. */
export function scriptedChat(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const last = prompt.findLastIndex(({ role }) => role === 'user')
      const told = prompt
        .slice(last + 1)
        .flatMap((message) =>
          message.role !== 'tool'
            ? []
            : message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
        )
      const asked = prompt[last]
      const text =
        asked?.role === 'user'
          ? asked.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
          : '[]'
      const calls = text.startsWith('[') ? (JSON.parse(text) as ScriptedCall[]) : []
      const said = told.map(({ toolCallId, output }) => `${toolCallId}: ${JSON.stringify(output)}`)
      const unified = told.length === 0 && calls.length > 0 ? 'tool-calls' : 'stop'
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          ...(unified === 'tool-calls'
            ? calls.map(({ id, tool: toolName, args }) => ({
                type: 'tool-call' as const,
                toolCallId: id,
                toolName,
                input: JSON.stringify(args),
              }))
            : [
                { type: 'text-start' as const, id: 't' },
                { type: 'text-delta' as const, id: 't', delta: said.join('\n') },
                { type: 'text-end' as const, id: 't' },
              ]),
          { type: 'finish', finishReason: { unified, raw: unified }, usage: USAGE },
        ]),
      }
    },
  })
}
