import { setTimeout as sleep } from 'node:timers/promises'
import type { DecisionBody } from '../../api/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Session } from '../session.ts'
import { SHOWN_MS } from './revealed.ts'
import { type Action, type Remark, type State, serverNow } from './state.ts'

/** Keeps the screen true to the server: signs in, looks, listens, and begins again when cut off. */
export interface Live {
  /** Looks again at once. */
  again(): void
  decide(id: string, body: DecisionBody): Promise<void>
  /** Shows one hidden value, once it is on record who looks. */
  reveal(wish: Wish): Promise<void>
  /** Asks, replies or comments. Decides nothing. */
  say(words: Words): Promise<void>
  close(): Promise<void>
}

export interface Words {
  readonly id: string
  readonly kind: Remark
  readonly text: string
}

const REMARKS = {
  question: 'POST /v1/approvals/:id/questions',
  reply: 'POST /v1/approvals/:id/replies',
  comment: 'POST /v1/approvals/:id/comments',
} as const satisfies Readonly<Record<Remark, string>>

const SENT: Readonly<Record<Remark, string>> = {
  question: 'Sent to the agent. The call still waits for a decision.',
  reply: 'Replied. The call still waits for a decision.',
  comment: 'Commented. Nothing was decided.',
}

export interface Wish {
  readonly id: string
  /** Of the call as it is on the screen. */
  readonly digest: string
  readonly path: readonly string[]
}

interface LiveOptions {
  readonly signIn: () => Promise<Session>
  readonly state: () => State
  readonly dispatch: (action: Action) => void
}

const RETRY_MS = 2_000
/** For the day on which a hint gets lost. */
const POLL_MS = 15_000
const BEAT_MS = 4_000

export function createLive({ signIn, state, dispatch }: LiveOptions): Live {
  const ended = new AbortController()
  let session: Session | undefined
  let wake = () => {}
  let wanted = true

  async function look({ api }: Session): Promise<void> {
    while (wanted && !ended.signal.aborted) {
      wanted = false
      const page = await api.call('GET /v1/approvals', {
        query: { status: ['pending'], limit: 500 },
      })
      dispatch({ type: 'listed', page, at: Date.now() })
      const { current } = state()
      if (current !== undefined) {
        const card = await api.call('GET /v1/approvals/:id', { params: { id: current } })
        dispatch({ type: 'carded', card })
      }
    }
  }

  function again(): void {
    wanted = true
    wake()
  }

  /** Until the connection breaks. */
  async function follow(own: Session): Promise<void> {
    const cut = new AbortController()
    const signal = AbortSignal.any([cut.signal, ended.signal])
    const listening = listen(own, signal)
    const beating = beat(own, signal)
    // They may reject before they are awaited; the race below still sees the rejection.
    listening.catch(() => {})
    beating.catch(() => {})
    try {
      while (!ended.signal.aborted) {
        await Promise.race([look(own), beating])
        await Promise.race([pause(POLL_MS), listening, beating])
        wanted = true
      }
    } finally {
      cut.abort()
      await Promise.allSettled([listening, beating])
    }
  }

  async function listen({ api }: Session, signal: AbortSignal): Promise<void> {
    const stream = await api.events(signal)
    again()
    for await (const _ of stream) again()
    throw new Error('The server ended the connection.')
  }

  /** A server that hangs keeps its stream open and says nothing; only a question tells. */
  async function beat({ api }: Session, signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(BEAT_MS, undefined, { signal })
      await api.call('GET /healthz', { timeout: BEAT_MS, signal })
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (wanted || ended.signal.aborted) wake()
    })
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        session = await signIn()
        await follow(session)
      } catch (error) {
        if (ended.signal.aborted) return
        dispatch({ type: 'lost', at: Date.now(), why: wordsOf(error) })
        session = undefined
        wanted = false
        await pause(RETRY_MS)
        wanted = true
      }
    }
  }
  const running = run()

  /** Says what went wrong, on the line for it. */
  async function send(act: (api: Session['api']) => Promise<void>): Promise<void> {
    dispatch({ type: 'sending' })
    try {
      if (session === undefined) throw new Error('The server does not answer.')
      await act(session.api)
    } catch (error) {
      dispatch({ type: 'said', note: { tone: 'bad', text: wordsOf(error) } })
    }
  }

  return {
    again,
    async decide(id, body) {
      await send(async (api) => {
        const params = { id }
        const { status } = await api.call('POST /v1/approvals/:id/decisions', { params, body })
        // Keys do nothing before the card says what can be done now. It was decided in any case.
        const card = await api.call('GET /v1/approvals/:id', { params }).catch(() => undefined)
        if (card) dispatch({ type: 'carded', card })
        const text = status === 'pending' ? 'Noted. It waits for others.' : 'Saved.'
        dispatch({ type: 'said', note: { tone: 'good', text } })
      })
      again()
    },
    reveal: ({ id, digest, path }) =>
      send(async (api) => {
        const { value } = await api.call('POST /v1/approvals/:id/reveal', {
          params: { id },
          body: { path, digest },
        })
        const until = serverNow(state()) + SHOWN_MS
        dispatch({ type: 'revealed', revealed: { id, digest, path, value, until, top: 0 } })
      }),
    async say({ id, kind, text }) {
      await send(async (api) => {
        await api.call(REMARKS[kind], { params: { id }, body: { text } })
        dispatch({ type: 'said', note: { tone: 'good', text: SENT[kind] } })
      })
      again()
    },
    async close() {
      ended.abort()
      wake()
      await running
      await session?.end()
    },
  }
}

function wordsOf(error: unknown): string {
  if (isCountersignError(error)) return [error.message, error.hint].filter(Boolean).join('. ')
  return error instanceof Error ? error.message : String(error)
}
