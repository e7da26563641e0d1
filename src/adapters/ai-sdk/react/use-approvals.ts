import { useCallback, useEffect, useRef, useState } from 'react'
import type { ShownCall } from '../shown-call.ts'
import type { CardAnswer } from './approval-card.ts'
import { type ChatMessage, pausedTurn } from './paused-turn.ts'

export interface UseApprovals {
  /** As `useChat` gives them. */
  readonly messages: readonly ChatMessage[]
  /** Of the chat, as `useChat` gives it: nothing is sent while an answer still comes. */
  readonly status: string
  /** Fetches what `showTurn` said on your server. */
  readonly load: () => Promise<readonly ShownCall[]>
  /**
   * Called when the user has answered here, and when every call of the turn is decided, so that
   * the conversation can go on: `(body) => sendMessage(undefined, { body })`.
   */
  readonly onNews: (news: News) => void
  /** `addToolApprovalResponse` of `useChat`, for the card's `onAnswer`. */
  readonly respond?: (answer: Omit<CardAnswer, 'toolCallId' | 'digest'>) => unknown
  /** Milliseconds between two looks while something waits. */
  readonly every?: number
}

/** For the server, which hands it to `resumeTurn`. */
export interface News {
  /** The digest that the card showed when it was answered, by `toolCallId`. */
  readonly seen: Readonly<Record<string, string>>
}

export interface Approvals {
  /** What the server says of this part's call; undefined as long as it has not. */
  of(part: { readonly toolCallId?: string }): ShownCall | undefined
  /** For the card: notes what it showed, and passes the answer on to `respond`. */
  readonly answer: (answer: CardAnswer) => unknown
  /** The server could not be asked the last time. */
  readonly isStale: boolean
}

interface Sent {
  readonly news: string | undefined
  readonly calls: ReadonlyMap<string, ShownCall>
  readonly seen: ReadonlyMap<string, string>
}

const EVERY = 2_000

/**
 * How the paused calls of a chat stand, as the server says, looked up for as long as they wait.
 * Decides nothing: it only tells when going on makes sense.
 */
export function useApprovals(options: UseApprovals): Approvals {
  const { messages, status, every = EVERY } = options
  const [calls, setCalls] = useState<ReadonlyMap<string, ShownCall>>(new Map())
  const [isStale, setStale] = useState(false)
  const latest = useRef(options)
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map())
  const sent = useRef<Sent>({ news: undefined, calls, seen })
  useEffect(() => {
    latest.current = options
  })

  const turn = pausedTurn(messages)
  const isPaused = turn !== undefined
  const isReady = status === 'ready'
  const wasPaused = useRef(false)
  useEffect(() => {
    if (!isPaused && !(wasPaused.current && isReady)) return
    wasPaused.current = isPaused
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      try {
        const found = await latest.current.load()
        if (isOver) return
        // What was known of earlier turns stays: those are not looked up any more.
        setCalls(
          (before) => new Map([...before, ...found.map((one) => [one.toolCallId, one] as const)]),
        )
        setStale(false)
      } catch {
        if (!isOver) setStale(true)
      }
      // How the calls ended is asked for once.
      if (!isOver && isPaused) timer = setTimeout(() => void look(), every)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isPaused, isReady, every])

  const news = turn?.newsWith(calls)
  useEffect(() => {
    if (news === undefined || (status !== 'ready' && status !== 'error')) return
    // The same news are not sent twice: a server that goes on waiting would be asked for ever. After
    // an error they are, once per look.
    const isSame = news === sent.current.news && seen === sent.current.seen
    if (isSame && (status === 'ready' || calls === sent.current.calls)) return
    sent.current = { news, calls, seen }
    latest.current.onNews({ seen: Object.fromEntries(seen) })
  }, [news, status, calls, seen])

  const of = useCallback<Approvals['of']>(
    ({ toolCallId }) => (toolCallId === undefined ? undefined : calls.get(toolCallId)),
    [calls],
  )
  const answer = useCallback<Approvals['answer']>(({ toolCallId, digest, ...given }) => {
    // Now, and not when it is sent: by then the server may have shown something else.
    if (digest !== undefined) setSeen((before) => new Map([...before, [toolCallId, digest]]))
    return latest.current.respond?.(given)
  }, [])
  return { of, answer, isStale }
}
