import { onTestFinished } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import type { ConversationView } from '../../src/api/chat/conversation.ts'
import type { CountersignServerOptions } from '../../src/app/countersign-options.ts'
import { createCountersign } from '../../src/app/create-countersign.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'

const ORIGIN = 'https://example.com'

export interface Part {
  readonly type: string
  readonly text?: string
  readonly state?: string
  readonly toolName?: string
  readonly toolCallId?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly data?: { readonly approval: string; readonly level: string }
  readonly approval?: { readonly approved?: boolean; readonly reason?: string }
}

export interface Message {
  readonly id: string
  readonly role: string
  readonly parts: readonly Part[]
}

/** A stream of the chat as a page reads it. */
export interface Turn {
  readonly response: Response
  /** Chunks so far. */
  readonly chunks: Record<string, unknown>[]
  /** The next question about a call: the id of its approval. */
  asked(count?: number): Promise<string[]>
  ended(): Promise<void>
  /** As a page that is closed or reloaded. */
  leave(): void
}

/** A server of the chat without sockets, and people who sign in to it. */
export function chatWorld(
  policy = 'version: 1\n',
  { store = memoryStore(), ...options }: Partial<CountersignServerOptions> & { store?: Store } = {},
) {
  const parsed = parsePolicy({ owner: { file: 'countersign.yaml', text: policy } })
  const log = { write: () => {} }
  const countersign = createCountersign({
    policy: parsed,
    store,
    demo: true,
    publicUrl: ORIGIN,
    log,
    ...options,
  })
  onTestFinished(async () => {
    await countersign.close()
    await store.close()
  })

  const send = (path: string, init: RequestInit = {}) =>
    countersign.fetch(
      new Request(`${ORIGIN}${path}`, {
        ...init,
        headers: {
          host: 'example.com',
          origin: ORIGIN,
          ...(init.headers as Record<string, string>),
        },
      }),
    )

  async function signIn(
    email: string,
    roles: readonly ('viewer' | 'approver' | 'author' | 'admin')[] = ['viewer', 'approver'],
  ) {
    const link = await countersign.signInLink({ email, roles })
    const secret = decodeURIComponent(new URL(link).hash.slice('#signin='.length))
    const response = await send('/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: secret }),
    })
    if (!response.ok) throw new Error(await response.text())
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { csrf } = (await response.json()) as { csrf: string }
    return personAt(send, { cookie, 'x-countersign-csrf': csrf })
  }

  return { countersign, store, send, signIn }
}

type Send = (path: string, init?: RequestInit) => Promise<Response>

function personAt(send: Send, headers: Record<string, string>) {
  const get = (path: string) => send(path, { headers })
  const post = (path: string, body?: unknown, init: RequestInit = {}) =>
    send(path, {
      method: 'POST',
      ...init,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const conversations = '/v1/chat/conversations'

  async function turn(path: string, body?: unknown): Promise<Turn> {
    const left = new AbortController()
    return readTurn(await post(path, body, { signal: left.signal }), left)
  }

  return {
    get,
    post,
    put: (path: string, body: unknown) => post(path, body, { method: 'PUT' }),
    remove: (path: string) => send(path, { method: 'DELETE', headers }),
    async begin(model = 'rehearsal'): Promise<string> {
      const made = await post(conversations, { model })
      return ((await made.json()) as ConversationView).id
    },
    say: (id: string, text: string, more: object = {}) =>
      turn(`${conversations}/${id}/messages`, { text, ...more }),
    goOn: (id: string) => turn(`${conversations}/${id}/continue`),
    async read(id: string) {
      const response = await get(`${conversations}/${id}`)
      const view = (await response.json()) as Omit<ConversationView, 'messages'> & {
        messages: readonly Message[]
      }
      return { ...view, last: view.messages.at(-1)?.parts ?? [] }
    },
    async card(approval: string): Promise<ApprovalCard> {
      return (await (await get(`/v1/approvals/${approval}`)).json()) as ApprovalCard
    },
    async decide(approval: string, verdict: 'approve' | 'deny', more: object = {}) {
      const { digest } = (await (await get(`/v1/approvals/${approval}`)).json()) as ApprovalCard
      return post(`/v1/approvals/${approval}/decisions`, { verdict, digest, ...more })
    },
  }
}

function readTurn(response: Response, left: AbortController): Turn {
  const chunks: Record<string, unknown>[] = []
  let isOver = false
  const reading = (async () => {
    const text = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done, value = '' } = (await text?.read()) ?? { done: true }
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const data = line.startsWith('data: ') ? line.slice(6) : ''
        if (data.startsWith('{')) chunks.push(JSON.parse(data) as Record<string, unknown>)
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  const until = async (found: () => boolean) => {
    const end = Date.now() + 10_000
    while (!found()) {
      if (isOver || Date.now() > end) throw new Error(`not in ${JSON.stringify(chunks)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const questions = () =>
    chunks.flatMap(({ type, data }) =>
      type === 'data-approval' ? [(data as { approval: string }).approval] : [],
    )
  return {
    response,
    chunks,
    async asked(count = 1) {
      await until(() => questions().length >= count)
      return questions()
    },
    ended: () => reading,
    leave: () => left.abort(),
  }
}

/** What the model said, whole. */
export function textOf(parts: readonly Part[]): string {
  return parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('\n')
}
