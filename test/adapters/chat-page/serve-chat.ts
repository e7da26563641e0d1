import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  type ToolApprovalConfiguration,
  type ToolSet,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { build } from 'vite'
import { z } from 'zod'
import {
  blockedText,
  guardTools,
  resumeTurn,
  showTurn,
  withAnswers,
} from '../../../src/adapters/ai-sdk/index.ts'
import type { Person } from '../../../src/approval/people/person.ts'
import { createGate, type Gate } from '../../../src/gate/gate.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'
import { uma } from '../../../src/testing/adapter-play.ts'
import { scriptedChat } from '../scripted-chat.ts'

const POLICY = `version: 1
people: { groups: { finance: [ana@example.com] } }
tools:
  pay: { approval: { message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?" } }
  wire: { approval: { approvers: [{ group: finance }] } }
`

/** What the page posts. */
interface Sent {
  readonly messages: UIMessage[]
  /** What the cards showed that were answered. */
  readonly seen?: Readonly<Record<string, string>>
}

export interface ServedChat {
  readonly url: string
  readonly gate: Gate
  /** What the tools really did. */
  readonly ran: object[]
  /** How often the model was asked. */
  readonly model: { readonly doStreamCalls: readonly unknown[] }
  /** The chat as the application keeps it. */
  saved(): readonly UIMessage[]
  readonly tools: ToolSet
  /** Who is signed in at the application; nobody at first. */
  signIn(person: Person): void
  close(): Promise<void>
}

/** An application with a chat: its page, its two routes, a gate in its process. */
export async function serveChat(
  script: string,
  toolApproval?: ToolApprovalConfiguration<ToolSet, never>,
): Promise<ServedChat> {
  const store = memoryStore()
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } }),
    store,
    agent: 'biller',
    principal: { issuer: uma.issuer, subject: uma.subject },
  })
  const ran: object[] = []
  const tools = guardTools(gate, toolsThat(ran), { run: 'chat-1' })
  const model = scriptedChat()
  let signedIn: Person | undefined
  let messages: UIMessage[] = []

  const people = () => ({ approvals: gate.approvals, ...(signedIn ? { by: signedIn } : {}) })

  async function chat(request: IncomingMessage): Promise<Response> {
    const body = (await bodyOf(request)) as Sent
    messages = body.messages
    const { seen } = body
    const turn = await resumeTurn(tools, await convertToModelMessages(messages, { tools }), {
      ...people(),
      ...(seen ? { seen } : {}),
    })
    if (turn.status === 'waiting') {
      return createUIMessageStreamResponse({ stream: createUIMessageStream({ execute() {} }) })
    }
    const result = streamText({
      model,
      tools,
      messages: turn.messages,
      stopWhen: isStepCount(5),
      ...(toolApproval ? { toolApproval } : {}),
    })
    const stream = toUIMessageStream({
      stream: withAnswers(turn, result.stream),
      originalMessages: messages,
      onError: blockedText,
      onEnd({ messages: all }) {
        messages = all
      },
    })
    return createUIMessageStreamResponse({ stream })
  }

  async function approvals(): Promise<Response> {
    const shown = await showTurn(tools, await convertToModelMessages(messages), {
      ...people(),
      inbox: 'https://approvals.example.com',
    })
    return Response.json(shown)
  }

  async function answer(request: IncomingMessage): Promise<Response> {
    if (request.url === '/chat') return chat(request)
    if (request.url === '/approvals') return approvals()
    if (request.url === '/page.js') return file('text/javascript', script)
    return file('text/html', PAGE)
  }

  const server = createServer((request, response) => void send(answer(request), response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    gate,
    ran,
    model,
    tools,
    saved: () => messages,
    signIn(person) {
      signedIn = person
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await store.close()
    },
  }
}

/** The page as one script, made by what also makes the inbox. */
export async function buildPage(page = 'page.ts'): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    root: import.meta.dirname,
    resolve: { conditions: ['countersign-source', 'browser', 'module'] },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: false,
      rollupOptions: { input: path.join(import.meta.dirname, page) },
    },
  })
  const [output] = [built].flat()
  const [chunk] = output && 'output' in output ? output.output : []
  if (chunk?.type !== 'chunk') throw new Error('vite built no page')
  return chunk.code
}

function toolsThat(ran: object[]): ToolSet {
  const does = (name: string) =>
    tool({
      inputSchema: z.looseObject({ to: z.string(), amount: z.number() }),
      execute: async (args) => {
        ran.push({ tool: name, ...args })
        return `${name} done`
      },
    })
  return {
    pay: does('pay'),
    wire: does('wire'),
    // Runs in the page.
    where: tool({ inputSchema: z.object({}) }),
  }
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chat</title></head>
<body><div id="root"></div><script type="module" src="/page.js"></script></body></html>`

/** As strict as a page can be: no style but the script's own, no script but the page's. */
function file(type: string, text: string): Response {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'",
  }
  return new Response(text, { headers })
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

async function send(answer: Promise<Response>, response: ServerResponse): Promise<void> {
  try {
    const { status, headers, body } = await answer
    response.writeHead(status, Object.fromEntries(headers))
    if (body) Readable.fromWeb(body as never).pipe(response)
    else response.end()
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}
