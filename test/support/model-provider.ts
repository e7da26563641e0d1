import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A turn of the model: it calls tools, or it says something. */
export type Turn = string | readonly { readonly tool: string; readonly args: object }[]

export interface Provider {
  readonly url: string
  /** What the program sent, in order. */
  readonly asked: { readonly path: string; readonly body: Body; readonly key: string }[]
}

export interface Body {
  readonly [name: string]: unknown
}

/** A model provider on loopback that says `turns` one after the other, in the wire it is asked in. */
export async function modelProvider(turns: readonly Turn[]): Promise<Provider> {
  const asked: Provider['asked'] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { authorization, 'x-goog-api-key': google } = request.headers
    const path = new URL(request.url ?? '/', 'http://provider').pathname
    asked.push({ path, body: JSON.parse(text), key: String(authorization ?? google) })
    const turn = turns[asked.length - 1] ?? 'Nothing more.'
    const wire = WIRES.find(([ending]) => path.endsWith(ending))?.[1]
    response.statusCode = wire ? 200 : 404
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(wire?.(turn, asked.length) ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const WIRES: readonly (readonly [string, (turn: Turn, at: number) => object])[] = [
  ['/chat/completions', completion],
  ['/responses', openAiResponse],
  [':generateContent', geminiContent],
  ['/language-model', gatewayResult],
]

const words = (turn: Turn): string => (typeof turn === 'string' ? turn : '')
const calls = (turn: Turn, at: number) =>
  typeof turn === 'string' ? [] : turn.map((call, index) => ({ id: `c${at}-${index}`, ...call }))

function completion(turn: Turn, at: number): object {
  const tools = calls(turn, at).map(({ id, tool, args }) => ({
    id,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args) },
  }))
  return {
    id: `chatcmpl-${at}`,
    object: 'chat.completion',
    created: 0,
    model: 'a-model',
    choices: [
      {
        index: 0,
        finish_reason: tools.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: words(turn) || null,
          ...(tools.length > 0 ? { tool_calls: tools } : {}),
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

function openAiResponse(turn: Turn, at: number): object {
  const said = {
    type: 'message',
    id: `msg_${at}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: words(turn), annotations: [] }],
  }
  const wanted = calls(turn, at).map(({ id, tool, args }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name: tool,
    arguments: JSON.stringify(args),
    status: 'completed',
  }))
  return {
    id: `resp_${at}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'a-model',
    output: wanted.length > 0 ? wanted : [said],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  }
}

function geminiContent(turn: Turn, at: number): object {
  const wanted = calls(turn, at).map(({ tool, args }) => ({ functionCall: { name: tool, args } }))
  const parts = wanted.length > 0 ? wanted : [{ text: words(turn) }]
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }
}

function gatewayResult(turn: Turn, at: number): object {
  const wanted = calls(turn, at).map(({ id, tool, args }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: tool,
    input: JSON.stringify(args),
  }))
  const unified = wanted.length > 0 ? 'tool-calls' : 'stop'
  return {
    content: wanted.length > 0 ? wanted : [{ type: 'text', text: words(turn) }],
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }
}
