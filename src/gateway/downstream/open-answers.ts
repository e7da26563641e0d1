import { RPC, RpcError } from '../protocol/message.ts'

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
