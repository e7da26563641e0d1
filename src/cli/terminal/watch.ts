import { setTimeout as pause } from 'node:timers/promises'
import type { ApprovalRow } from '../../api/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Api, Session } from '../session.ts'
import type { Output } from '../shell.ts'

/** One line of `countersign inbox --json`. Reads only; nothing is decided from here. */
type Change =
  | { readonly event: 'waiting' | 'changed'; readonly approval: ApprovalRow }
  | { readonly event: 'settled'; readonly id: string; readonly status?: string }
  | { readonly event: 'lost'; readonly why: string }

interface WatchOptions {
  readonly signIn: () => Promise<Session>
  readonly out: Output
  readonly signal: AbortSignal
}

const RETRY_MS = 2_000
/** For the day on which a hint gets lost. */
const POLL_MS = 15_000

/** Prints what is pending and each change to it, until the reader closes the pipe. */
export async function watchPending({ signIn, out, signal }: WatchOptions): Promise<void> {
  const known = new Map<string, number>()
  const isOver = () => signal.aborted || out.closed()
  const tell = async (change: Change) => {
    await out.write(`${JSON.stringify(change)}\n`)
  }
  while (!isOver()) {
    let session: Session | undefined
    try {
      session = await signIn()
      await follow(session.api)
    } catch (error) {
      if (!isOver()) {
        await tell({ event: 'lost', why: isCountersignError(error) ? error.message : 'cut off' })
        await pause(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    } finally {
      await session?.end()
    }
  }

  async function follow(api: Api): Promise<void> {
    const cut = new AbortController()
    const both = AbortSignal.any([signal, cut.signal])
    try {
      const reader = (await api.events(both)).getReader()
      let hint = reader.read()
      let timer = poll(both)
      while (!isOver()) {
        await look(api)
        const heard = await Promise.race([hint, timer])
        if (heard === undefined) {
          timer = poll(both)
          continue
        }
        if (heard.done) throw new Error('The server ended the connection.')
        hint = reader.read()
      }
    } finally {
      cut.abort()
    }
  }

  async function look(api: Api): Promise<void> {
    const rows = await pendingOf(api)
    for (const approval of rows) {
      const revision = known.get(approval.id)
      if (revision === approval.revision) continue
      known.set(approval.id, approval.revision)
      await tell({ event: revision === undefined ? 'waiting' : 'changed', approval })
    }
    const here = new Set(rows.map(({ id }) => id))
    for (const id of known.keys()) {
      if (here.has(id)) continue
      known.delete(id)
      const card = await api
        .call('GET /v1/approvals/:id', { params: { id } })
        .catch(() => undefined)
      await tell({ event: 'settled', id, ...(card === undefined ? {} : { status: card.status }) })
    }
  }
}

/** Undefined when it is time to look without a hint. */
function poll(signal: AbortSignal): Promise<undefined> {
  return pause(POLL_MS, undefined, { signal }).catch(() => undefined)
}

async function pendingOf(api: Api): Promise<readonly ApprovalRow[]> {
  const rows: ApprovalRow[] = []
  let after: string | undefined
  do {
    const page = await api.call('GET /v1/approvals', {
      query: { status: ['pending'], order: 'deadline', limit: 250, after },
    })
    rows.push(...page.approvals)
    after = page.next
  } while (after !== undefined)
  return rows
}
