import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: object
}

/** What the model says in one turn: text, or tools it wants to call. */
export type Turn = string | readonly ToolUse[]

interface Block {
  readonly type: string
  readonly text?: string
  readonly tool_use_id?: string
  readonly content?: string | readonly Block[]
}

interface Request {
  readonly model: string
  readonly stream?: boolean
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly content: string | readonly Block[] }[]
}

export interface ScriptedModel {
  readonly url: string
  /** What the model has read for this call, with what stands beside it. */
  read(id: string): string
  /** Everything the model has read. */
  all(): string
  close(): Promise<void>
}

/** Anthropic's Messages API on this machine, with a model that says what it is told to. */
export async function scriptedModel(turns: readonly Turn[]): Promise<ScriptedModel> {
  const requests: Request[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url ?? ''
    if (!path.startsWith('/v1/messages') || path.includes('count_tokens')) {
      response.writeHead(path.includes('count_tokens') ? 200 : 404)
      response.end(JSON.stringify({ input_tokens: 10 }))
      return
    }
    const body = JSON.parse(text) as Request
    // Without tools it is Claude Code that wants a title, or a summary.
    const isAgent = (body.tools ?? []).length > 0
    const turn = isAgent ? (turns[requests.length] ?? 'done') : 'ok'
    if (isAgent) requests.push(body)
    const blocks =
      typeof turn === 'string'
        ? [{ type: 'text', text: turn }]
        : turn.map((call) => ({ type: 'tool_use', ...call }))
    const stop_reason = typeof turn === 'string' ? 'end_turn' : 'tool_use'
    const message = {
      id: `msg_${requests.length}_${Math.random().toString(36).slice(2)}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    if (!body.stream) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ...message, content: blocks, stop_reason }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    send('message_start', { message: { ...message, content: [], stop_reason: null } })
    for (const [index, block] of blocks.entries()) {
      const call = 'input' in block ? block : undefined
      const content_block = call ? { ...call, input: {} } : { type: 'text', text: '' }
      const delta = call
        ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
        : { type: 'text_delta', text: (block as Block).text }
      send('content_block_start', { index, content_block })
      send('content_block_delta', { index, delta })
      send('content_block_stop', { index })
    }
    send('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    })
    send('message_stop', {})
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const contents = () => requests.flatMap(({ messages }) => messages.map(({ content }) => content))
  return {
    url: `http://127.0.0.1:${port}`,
    read(id) {
      const beside = contents().find(
        (content) =>
          typeof content !== 'string' && content.some(({ tool_use_id }) => tool_use_id === id),
      )
      const blocks = (typeof beside === 'string' ? [] : (beside ?? [])).filter(
        ({ tool_use_id }) => tool_use_id === undefined || tool_use_id === id,
      )
      return blocks.map(textOf).join('\n')
    },
    all: () => JSON.stringify(requests.map(({ messages }) => messages)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function textOf({ text, content }: Block): string {
  if (text !== undefined) return text
  return typeof content === 'string' ? content : (content ?? []).map(textOf).join('\n')
}
