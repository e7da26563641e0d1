/** Hints from the server that something changed, turned into fetching it again. */

import type { QueryClient } from '@tanstack/react-query'
import type { Hint } from '../../../src/api/approval.ts'
import type { ApprovalState } from '../../../src/api/approval-acts.ts'
import type { Status } from '../../../src/api/common.ts'
import type { Readers } from '../../../src/api/talk/talk.ts'
import { BASE_PATH } from '../lib/base-path.ts'
import { approvalKeys } from './approvals.ts'
import { noteSilence, noteStream } from './connection.ts'
import { pingServer, watchServer } from './session/session.ts'

/** Many hints at once are one reason to look. */
const GATHER_MS = 150
const LONGEST_PAUSE_MS = 15_000

/** The last status received for an approval, for rows that leave the list before anyone asks. */
export const lastStatus = new Map<string, Status>()

/** Told who has a card open. */
type ReadingListener = (readers: Readers) => void
const reading = new Set<ReadingListener>()

export function onReading(listener: ReadingListener): () => void {
  reading.add(listener)
  return () => void reading.delete(listener)
}

/** What the server said of a call when this page last answered it. */
export const answered = new Map<string, ApprovalState>()

export function followLiveEvents(client: QueryClient): () => void {
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let pause = 1_000
  const touched = new Set<string>()

  /** Locks or people changed: permissions may differ on every page. */
  let isAll = false

  const look = () => {
    gather = undefined
    if (isAll) {
      isAll = false
      touched.clear()
      void client.invalidateQueries()
      return
    }
    void client.invalidateQueries({ queryKey: approvalKeys.pending })
    void client.invalidateQueries({ queryKey: approvalKeys.history })
    for (const id of touched) {
      void client.invalidateQueries({ queryKey: approvalKeys.card(id) })
      void client.invalidateQueries({ queryKey: approvalKeys.events(id) })
    }
    touched.clear()
  }
  const onHint = ({ data }: MessageEvent<string>) => {
    const hint = readHint(data)
    if (hint === undefined) return
    lastStatus.set(hint.id, hint.status)
    touched.add(hint.id)
    gather ??= setTimeout(look, GATHER_MS)
  }
  const connect = () => {
    source = new EventSource(`${BASE_PATH}/v1/events`)
    source.addEventListener('open', () => {
      pause = 1_000
      noteStream(true)
      // Hints sent while disconnected are lost, so everything is fetched again.
      void client.invalidateQueries()
    })
    source.addEventListener('message', onHint)
    source.addEventListener('hint', onHint)
    source.addEventListener('reading', ({ data }: MessageEvent<string>) => {
      const readers = readReaders(data)
      if (readers) for (const listener of reading) listener(readers)
    })
    source.addEventListener('admin', () => {
      isAll = true
      gather ??= setTimeout(look, GATHER_MS)
    })
    source.addEventListener('reset', () => void client.invalidateQueries())
    source.addEventListener('error', () => {
      source?.close()
      noteStream(false)
      // A broken stream can be the stream's fault; only a question tells.
      pingServer()
      retry = setTimeout(connect, pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    })
  }
  const onOffline = () => noteSilence()
  const onOnline = () => {
    clearTimeout(retry)
    source?.close()
    connect()
  }
  connect()
  const unwatch = watchServer()
  addEventListener('offline', onOffline)
  addEventListener('online', onOnline)
  addEventListener('countersign:retry', onOnline)
  return () => {
    unwatch()
    source?.close()
    clearTimeout(retry)
    clearTimeout(gather)
    removeEventListener('offline', onOffline)
    removeEventListener('online', onOnline)
    removeEventListener('countersign:retry', onOnline)
  }
}

/** The person does not want to wait for the next attempt. */
export function retryNow(): void {
  dispatchEvent(new Event('countersign:retry'))
}

function readReaders(data: string): Readers | undefined {
  try {
    const read = JSON.parse(data) as Readers
    return Array.isArray(read.readers) ? read : undefined
  } catch {
    return undefined
  }
}

function readHint(data: string): Hint | undefined {
  try {
    const hint = JSON.parse(data) as Hint
    return typeof hint.id === 'string' ? hint : undefined
  } catch {
    return undefined
  }
}
