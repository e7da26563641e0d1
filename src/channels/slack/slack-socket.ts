import { textAt } from '../chat/text-at.ts'
import { type SlackCall, SlackError } from './slack-api.ts'

export interface SocketOptions {
  /** With the app's own token. */
  readonly call: SlackCall
  /** Resolves to what Slack is answered. Never rejects. */
  readonly onEnvelope: (type: string, payload: unknown) => Promise<unknown>
  /** In one line: why there is no connection. */
  readonly report: (line: string) => void
  readonly onReady?: () => void
  /** Milliseconds without a word after which a connection counts as dead. */
  readonly silence?: number
}

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const SILENCE = 15 * 60_000
/** Envelopes whose retries are recognised. */
const REMEMBERED = 1_000

/**
 * Socket Mode: Slack sends through a connection that we open, so no address of ours has to be
 * public. A new one is opened whenever the old one ends, however it does.
 */
export function openSocket(options: SocketOptions): () => Promise<void> {
  const { call, onEnvelope, report, onReady, silence = SILENCE } = options
  const seen = new Map<string, Promise<unknown>>()
  const working = new Set<Promise<void>>()
  let isStopped = false
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause = FIRST_PAUSE
  let reported = ''

  function tell(problem: string): void {
    if (problem === reported) return
    reported = problem
    report(`slack: ${problem}`)
  }

  function later(): void {
    if (isStopped) return
    clearTimeout(timer)
    timer = setTimeout(connect, pause * (0.5 + Math.random() / 2))
    timer.unref?.()
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }

  async function connect(): Promise<void> {
    try {
      const { body } = await call('apps.connections.open', {})
      const url = textAt(body, 'url')
      if (isStopped) return
      listen(new WebSocket(url))
    } catch (error) {
      tell(error instanceof SlackError ? error.message : 'Slack cannot be reached')
      later()
    }
  }

  function listen(opened: WebSocket): void {
    socket = opened
    let isOver = false
    let quiet: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(quiet)
      quiet = setTimeout(silent, silence)
      quiet.unref?.()
    }
    // A side that is gone does not answer that it closes, either.
    const silent = () => {
      opened.close()
      over()
    }
    const over = () => {
      if (isOver) return
      isOver = true
      clearTimeout(quiet)
      later()
    }
    heard()
    opened.addEventListener('close', over)
    opened.addEventListener('error', over)
    opened.addEventListener('message', ({ data }) => {
      heard()
      const work = answer(opened, data).catch(() => {})
      working.add(work)
      void work.finally(() => working.delete(work))
    })
  }

  async function answer(opened: WebSocket, data: unknown): Promise<void> {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
    const type = textAt(message, 'type')
    if (type === 'hello') {
      pause = FIRST_PAUSE
      reported = ''
      onReady?.()
      return
    }
    // Slack is about to end it; the next one is opened when it is closed.
    if (type === 'disconnect') {
      opened.close()
      return
    }
    const envelope_id = textAt(message, 'envelope_id')
    if (envelope_id === '') return
    // A retry gets the same answer: an empty one would tell the person that it worked.
    const payload = await (seen.get(envelope_id) ??
      remembered(envelope_id, onEnvelope(type, (message as { payload?: unknown }).payload)))
    if (opened.readyState !== WebSocket.OPEN) return
    opened.send(JSON.stringify({ envelope_id, ...(payload === undefined ? {} : { payload }) }))
  }

  function remembered(envelope: string, answered: Promise<unknown>): Promise<unknown> {
    const [oldest] = seen.size >= REMEMBERED ? seen.keys() : []
    if (oldest !== undefined) seen.delete(oldest)
    seen.set(envelope, answered)
    return answered
  }

  void connect()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await Promise.all(working)
    socket?.close()
  }
}
