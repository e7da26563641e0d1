/** The inbox as a client of a server behind the gate: what it hears is what any client hears. */

import { Unreachable } from '../../../../src/api/client.ts'
import { open } from '../../api/client.ts'
import type { Json } from '../../lib/arguments/values.ts'

export type ClientAnswer = 'accept' | 'decline' | 'cancel'

export interface CallEvents {
  /** The server says that it waits, and for what. */
  onProgress(message: string): void
  /** The server asks; the answer goes back to it. */
  onAsked(message: string, answer: (action: ClientAnswer) => void): void
  /** The question was answered elsewhere, or its call no longer waits. */
  onAskedOver(): void
}

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Json
  readonly isError?: boolean
  readonly _meta?: { readonly [key: string]: Json }
}

export interface McpClient {
  /** Throws what the server answers in place of a result. */
  call(name: string, args: Json, events: CallEvents, signal: AbortSignal): Promise<ToolResult>
  close(): void
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly [key: string]: Json }
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const VERSION = '2025-11-25'

export async function connectMcp(server: string): Promise<McpClient> {
  const params = { server }
  let session = ''
  let next = 1

  const own = (): Record<string, string> => (session === '' ? {} : { 'mcp-session-id': session })

  function post(message: object, signal?: AbortSignal): Promise<Response> {
    return open('POST /v1/servers/:server/try', {
      // It is open as long as the call waits for people.
      timeout: false,
      params,
      headers: { accept: 'application/json, text/event-stream', ...own() },
      text: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal,
    })
  }

  async function request(
    method: string,
    params: object,
    onMessage: (message: Message) => void,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const id = next++
    const response = await post({ id, method, params }, signal)
    session ||= response.headers.get('mcp-session-id') ?? ''
    for await (const message of messagesOf(response)) {
      if (message.id !== id || message.method !== undefined) onMessage(message)
      else if (message.error) throw new Error(message.error.message)
      else return message.result
    }
    throw new Unreachable('The server ended the answer before there was one.', {})
  }

  await request(
    'initialize',
    {
      protocolVersion: VERSION,
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'countersign-inbox', version: '1' },
    },
    () => {},
  )
  await post({ method: 'notifications/initialized' })

  return {
    async call(name, args, events, signal) {
      let asked: Message['id']
      const hear = ({ id, method, params }: Message) => {
        if (method === 'notifications/progress') events.onProgress(textIn(params, 'message'))
        if (method === 'notifications/cancelled' && params?.requestId === asked)
          events.onAskedOver()
        if (method !== 'elicitation/create' || id === undefined) return
        asked = id
        events.onAsked(textIn(params, 'message'), (action) => {
          post({ id, result: resultOf(action, params) }).catch(() => {})
        })
      }
      const sent = { name, arguments: args, _meta: { progressToken: 'try' } }
      return (await request('tools/call', sent, hear, signal)) as ToolResult
    },
    close() {
      if (session === '') return
      const headers = own()
      open('DELETE /v1/servers/:server/try', { params, headers, keepalive: true }).catch(() => {})
    },
  }
}

/** Our own question has one required field; forms of servers are sent back empty. */
function resultOf(action: ClientAnswer, params: Message['params']): object {
  if (action !== 'accept') return { action }
  const { properties } = (params?.requestedSchema ?? {}) as { readonly properties?: object }
  return { action, content: properties && 'decision' in properties ? { decision: 'approve' } : {} }
}

function textIn(params: Message['params'], key: string): string {
  const found = params?.[key]
  return typeof found === 'string' ? found : ''
}

/** One message, or as many as come before the stream ends. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield JSON.parse(await response.text()) as Message
    return
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let kept = ''
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done || value === undefined) return
      const events = (kept + value).split(/\r?\n\r?\n/)
      kept = events.pop() ?? ''
      for (const event of events) {
        const data = event
          .split(/\r?\n/)
          .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        if (data.length > 0) yield JSON.parse(data.join('\n')) as Message
      }
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
}
