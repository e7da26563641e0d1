import type { Message } from '../protocol/message.ts'

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
