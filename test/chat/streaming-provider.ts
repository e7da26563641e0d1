import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Turn } from '../support/model-provider.ts'

/** What a provider does instead of a turn. */
export type Trouble =
  | { readonly status: number; readonly text: string }
  /** Nothing at all, or nothing after the first words. */
  | 'hangs'
  | 'stalls'

export interface StreamingProvider {
  readonly url: string
  /** What was asked for: path, body and the headers that can hold a key. */
  readonly asked: { readonly path: string; readonly body: string; readonly keys: string }[]
  readonly stop: () => Promise<void>
}

/** A provider on loopback that streams, in the API it is asked by. */
export async function streamingProvider(
  turns: readonly (Turn | Trouble)[],
  listed: readonly string[] | Trouble = ['a-model'],
): Promise<StreamingProvider> {
  const asked: StreamingProvider['asked'] = []
  let at = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = request.headers
    const path = request.url ?? '/'
    asked.push({ path, body, keys: [authorization, anthropic, google].join(' ') })
    const isList = path.endsWith('/models')
    const now = isList ? listed : (turns[at++] ?? 'Nothing more.')
    if (now === 'hangs') return
    if (typeof now === 'object' && 'status' in now) {
      response.writeHead(now.status, { 'content-type': 'application/json' }).end(now.text)
      return
    }
    if (isList) {
      const data = (now as readonly string[]).map((id) => ({ id, object: 'model' }))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data }))
      return
    }
    const wire = WIRES.find(([part]) => path.includes(part))?.[1]
    if (!wire) {
      response.writeHead(404).end('{}')
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    if (now === 'stalls') response.write(wire('Once upon a', at)[0])
    else await sendAll(response, wire(now as Turn, at))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop }
}

async function sendAll(response: ServerResponse, events: readonly string[]): Promise<void> {
  for (const event of events) {
    response.write(event)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  response.end()
}

const WIRES: readonly (readonly [string, (turn: Turn, at: number) => string[]])[] = [
  ['/chat/completions', openAi],
  ['/messages', anthropic],
  [':streamGenerateContent', google],
]

const event = (data: object, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
const pieces = (text: string) => text.match(/.{1,7}/gs) ?? []

function openAi(turn: Turn, at: number): string[] {
  const chunk = (delta: object, finish: string | null = null) =>
    event({
      id: `chatcmpl-${at}`,
      object: 'chat.completion.chunk',
      created: 0,
      model: 'a-model',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  const said =
    typeof turn === 'string'
      ? pieces(turn).map((content) => chunk({ role: 'assistant', content }))
      : turn.flatMap(({ tool, args }, index) => [
          chunk({
            tool_calls: [
              {
                index,
                id: `c${at}-${index}`,
                type: 'function',
                function: { name: tool, arguments: '' },
              },
            ],
          }),
          ...pieces(JSON.stringify(args)).map((part) =>
            chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
          ),
        ])
  const end = chunk({}, typeof turn === 'string' ? 'stop' : 'tool_calls')
  return [...said, end, 'data: [DONE]\n\n']
}

function anthropic(turn: Turn, at: number): string[] {
  const send = (type: string, more: object = {}) => event({ type, ...more }, type)
  const block = (index: number, content_block: object, deltas: readonly object[]) => [
    send('content_block_start', { index, content_block }),
    ...deltas.map((delta) => send('content_block_delta', { index, delta })),
    send('content_block_stop', { index }),
  ]
  const said =
    typeof turn === 'string'
      ? block(
          0,
          { type: 'text', text: '' },
          pieces(turn).map((text) => ({ type: 'text_delta', text })),
        )
      : turn.flatMap(({ tool, args }, index) =>
          block(
            index,
            { type: 'tool_use', id: `c${at}-${index}`, name: tool, input: {} },
            pieces(JSON.stringify(args)).map((partial_json) => ({
              type: 'input_json_delta',
              partial_json,
            })),
          ),
        )
  const usage = { input_tokens: 1, output_tokens: 1 }
  const begun = { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'a-model' }
  const message = { ...begun, content: [], stop_reason: null, stop_sequence: null, usage }
  const stop_reason = typeof turn === 'string' ? 'end_turn' : 'tool_use'
  return [
    send('message_start', { message }),
    ...said,
    send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
    send('message_stop'),
  ]
}

function google(turn: Turn): string[] {
  const chunk = (parts: readonly object[], more: object = {}) =>
    event({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] })
  const said =
    typeof turn === 'string'
      ? pieces(turn).map((text) => chunk([{ text }]))
      : [chunk(turn.map(({ tool, args }) => ({ functionCall: { name: tool, args } })))]
  return [...said, chunk([{ text: '' }], { finishReason: 'STOP' })]
}
