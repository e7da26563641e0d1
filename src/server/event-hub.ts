import type { Hint } from '../api/approval.ts'
import type { Readers } from '../api/talk/talk.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Hints } from '../gate/background/watch.ts'
import type { Gate } from '../gate/gate.ts'
import type { Store } from '../store/store.ts'
import type { Outgoing } from './http/direct-stream.ts'

/** Tells every open inbox that something changed. Hints only: clients fetch the details. */
export interface EventHub {
  /**
   * A stream of server-sent events. `lastId`: where a broken one ended. `session`: of the person who
   * listens; whether it still lives is asked when people or sessions changed.
   */
  open(lastId: string | undefined, session: string): Promise<EventStream>
  /** Tells who has a card open: everyone who is signed in may open it. */
  reading(readers: Readers): void
  readonly size: number
  close(): void
}

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Once the stream has been read empty, events are written here and no more to the body. */
  readonly writeTo: (outgoing: Outgoing) => void
}

const HEARTBEAT_MS = 15_000
/** Hints a client may have missed and still be told one by one. */
const MISSED = 1_000
/** Chunks a client may leave unread before it is let go; it comes back and is told to reset. */
const UNREAD = 1_000
/** The same where they are written to the connection: about as many hints. */
const UNREAD_BYTES = 128 * 1_024

const encoder = new TextEncoder()
const encode = (text: string) => encoder.encode(text)
const RESET = encode('event: reset\ndata: {}\n\n')
/** Locks, people or tokens changed. Clients that may know which of them fetch it. */
const ADMIN = encode('event: admin\ndata: {}\n\n')
const HEARTBEAT = encode(': still here\n\n')

interface Client {
  readonly body: ReadableStreamDefaultController<Uint8Array>
  readonly session: string
  /** Where the body is sent. */
  outgoing: Outgoing | undefined
  /** All that was put into the body is written: from here on, the order is that of our writes. */
  isDirect: boolean
}

/** Those of these sessions that have not ended. */
export type LiveSessions = (ids: readonly string[]) => Promise<ReadonlySet<string>>

export function createEventHub(
  { approvals }: Gate,
  store: Store,
  liveSessions: LiveSessions,
): EventHub {
  const clients = new Set<Client>()
  let watching: AbortController | undefined
  let isClosed = false
  const timer = setInterval(() => sendAll(HEARTBEAT), HEARTBEAT_MS)
  timer.unref()
  const leaveAdmin = store.onAmended(() => {
    sendAll(ADMIN)
    void letGoAll()
  })
  let isAsking = false
  let isStale = false

  /** Serialised once, written to all. */
  function sendAll(chunk: Uint8Array): void {
    for (const client of clients) send(client, chunk)
  }

  function send(client: Client, chunk: Uint8Array): void {
    const { body, outgoing, isDirect } = client
    try {
      if (outgoing && isDirect) {
        if (outgoing.destroyed || outgoing.writableEnded) {
          leave(client)
          return
        }
        if (outgoing.writableLength <= UNREAD_BYTES) {
          outgoing.write(chunk)
          return
        }
      } else {
        body.enqueue(chunk)
        if ((body.desiredSize ?? 0) > -UNREAD) return
      }
      body.close()
    } catch {
      // It went away; the reader knows.
    }
    leave(client)
  }

  /** One question for all streams. What changes meanwhile is asked for once more, not once each. */
  async function letGoAll(): Promise<void> {
    isStale = true
    if (isAsking) return
    isAsking = true
    while (isStale) {
      isStale = false
      await letGo([...clients])
    }
    isAsking = false
  }

  /** Disconnects people who signed out or were removed. In doubt too: clients reconnect. */
  async function letGo(some: readonly Client[]): Promise<void> {
    if (some.length === 0) return
    const ids = [...new Set(some.map(({ session }) => session))]
    const live = await liveSessions(ids).catch(() => new Set<string>())
    for (const client of some) {
      if (live.has(client.session)) continue
      end(client)
      leave(client)
    }
  }

  function end({ body }: Client): void {
    try {
      body.close()
    } catch {
      // It went away by itself.
    }
  }

  function leave(client: Client): void {
    clients.delete(client)
    if (clients.size > 0) return
    watching?.abort()
    watching = undefined
  }

  /** One look at the feed for all clients, as long as there are any. */
  function watch(): void {
    if (watching || isClosed) return
    const own = new AbortController()
    watching = own
    void follow(own.signal).catch(() => {
      if (watching !== own) return
      watching = undefined
      // The database did not answer. Whatever was missed meanwhile, a fresh look finds it.
      setTimeout(() => {
        if (clients.size === 0) return
        sendAll(RESET)
        watch()
      }, 1_000).unref()
    })
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for await (const hints of approvals.watch({ signal })) sendAll(encode(hintsText(hints)))
  }

  return {
    async open(lastId, session) {
      const missed = lastId === undefined ? undefined : await missedSince(store, lastId)
      let own: Client | undefined
      const source: UnderlyingDefaultSource<Uint8Array> = {
        start(body) {
          own = { body, session, outgoing: undefined, isDirect: false }
          clients.add(own)
          watch()
          send(own, encode('retry: 2000\n\n'))
          if (missed !== undefined) send(own, missed)
          // They may have signed out since the request was let in, when nothing was known of this one.
          void letGo([own])
        },
        // Nothing is read ahead, so a reader that asks for more has written what it was given.
        pull: () => {
          if (own?.outgoing?.headersSent) own.isDirect = true
        },
        cancel: () => own && leave(own),
      }
      return {
        body: new ReadableStream(source, { highWaterMark: 0 }),
        writeTo: (outgoing) => {
          if (own) own.outgoing = outgoing
        },
      }
    },
    reading(readers) {
      sendAll(encode(`event: reading\ndata: ${JSON.stringify(readers)}\n\n`))
    },
    get size() {
      return clients.size
    },
    close() {
      isClosed = true
      leaveAdmin()
      clearInterval(timer)
      watching?.abort()
      for (const client of clients) end(client)
      clients.clear()
    },
  }
}

/** What happened since, or that the client must look at everything again. */
async function missedSince(store: Store, cursor: string): Promise<Uint8Array | undefined> {
  // `start` and `end` name the bounds of the feed; no client was ever sent them as its position.
  if (cursor === 'start' || cursor === 'end') return RESET
  try {
    const { entries, cursor: now } = await store.eventsSince(cursor, MISSED)
    if (entries.length >= MISSED) return RESET
    const hints = entries.flatMap(({ event }) =>
      'approval' in event
        ? [{ id: event.approval, revision: event.revision, status: event.status }]
        : [],
    )
    return hints.length > 0 ? encode(hintsText({ hints, cursor: now })) : undefined
  } catch (error) {
    if (isCountersignError(error, 'cursor_unknown')) return RESET
    throw error
  }
}

/** One event for each approval that changed; the last carries the place to go on from. */
function hintsText({ hints, cursor }: Hints): string {
  const newest: readonly Hint[] = [...new Map(hints.map((hint) => [hint.id, hint])).values()]
  return newest
    .map((hint, index) => {
      const id = index === newest.length - 1 ? `id: ${cursor}\n` : ''
      return `${id}event: hint\ndata: ${JSON.stringify(hint)}\n\n`
    })
    .join('')
}
