import { type Message, RPC, RpcError } from '../../protocol/message.ts'

/** The answer to one HTTP request: plain JSON, or a stream once there is more to say than that. */
export interface Outlet {
  readonly response: Promise<Response>
  /** Begins a stream although there is nothing to say yet. */
  open(): void
  push(message: Message): void
  /** `text`: the message, where it is written already. `status`: of an answer that is no stream. */
  finish(message?: Message, text?: string, status?: number): void
  readonly isOver: boolean
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' }
const PLAIN = { 'content-type': 'application/json' }
const KEEP_ALIVE_MS = 15_000

export function createOutlet(
  headers: Readonly<Record<string, string>> = {},
  onOver: () => void = () => {},
): Outlet {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const encoder = new TextEncoder()
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  let beat: ReturnType<typeof setInterval> | undefined
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    clearInterval(beat)
    onOver()
  }

  function write(text: string): void {
    try {
      stream?.enqueue(encoder.encode(text))
    } catch {
      end()
    }
  }

  function open(): void {
    if (stream) return
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller
      },
      cancel: end,
    })
    beat = setInterval(write, KEEP_ALIVE_MS, ': waiting\n\n')
    beat.unref()
    resolve(new Response(body, { headers: { ...headers, ...STREAM } }))
    write(': open\n\n')
  }

  return {
    response: promise,
    open,
    push(message) {
      if (isOver) return
      open()
      write(eventOf(JSON.stringify(message)))
    },
    finish(message, text = JSON.stringify(message), status = 200) {
      if (isOver) return
      if (stream) {
        if (message) write(eventOf(text))
        end()
        try {
          stream.close()
        } catch {
          // The reader was first.
        }
        return
      }
      end()
      resolve(
        message
          ? new Response(text, { status, headers: { ...headers, ...PLAIN } })
          : new Response(null, { status: 202, headers }),
      )
    },
    get isOver() {
      return isOver
    },
  }
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`
}

/** What one session holds open at once: requests that are not answered, and standing streams. */
export interface OpenAnswers {
  /** Gives what ends it. Throws `tooMany` where the session or its token has too many. */
  open(kind: Kind): () => void
}

export type Kind = 'requests' | 'streams'

const MOST: Readonly<Record<Kind, { readonly session: number; readonly token: number }>> = {
  requests: { session: 256, token: 1_024 },
  streams: { session: 32, token: 128 },
}

type Counts = Record<Kind, number>

/** Counts for each session and for each credential, over all of its sessions. */
export function createOpenAnswers() {
  const tokens = new Map<string, Counts>()

  return {
    ofSession(owner: string): OpenAnswers {
      const session: Counts = { requests: 0, streams: 0 }
      return {
        open(kind) {
          const token = tokens.get(owner) ?? { requests: 0, streams: 0 }
          if (session[kind] >= MOST[kind].session) throw tooMany('session', kind)
          if (token[kind] >= MOST[kind].token) throw tooMany('token', kind)
          tokens.set(owner, token)
          session[kind]++
          token[kind]++
          let isOver = false
          return () => {
            if (isOver) return
            isOver = true
            session[kind]--
            token[kind]--
            if (token.requests + token.streams === 0) tokens.delete(owner)
          }
        },
      }
    },
  }
}

function tooMany(whose: 'session' | 'token', kind: Kind): RpcError {
  const todo = kind === 'streams' ? 'Close one' : 'Wait for one to be answered'
  return new RpcError(
    RPC.tooMany,
    `this ${whose} has ${MOST[kind][whose]} ${kind} open, as many as it may. ${todo} and try again.`,
    { 'countersign/code': 'too_many_requests' },
  )
}
