/** Whether the server answers. What is on screen says how old it is as soon as it does not. */
import { useSyncExternalStore } from 'react'

export interface Connection {
  /** `polling`: the server answers, but its stream of hints does not arrive. */
  readonly state: 'live' | 'polling' | 'off'
  /** When it last answered, on this machine's clock. */
  readonly since: number
}

let current: Connection = { state: 'polling', since: Date.now() }
let streaming = false
const listeners = new Set<() => void>()

function become(state: Connection['state'], since: number): void {
  const changed = state !== current.state
  // While it answers, the time is not shown: no reason to render.
  current = { state, since }
  if (changed) for (const listener of listeners) listener()
}

export function noteAnswer(): void {
  become(streaming ? 'live' : 'polling', Date.now())
}

export function noteSilence(): void {
  if (current.state !== 'off') become('off', current.since)
}

/** Milliseconds since the last answer. */
export const silentFor = () => Date.now() - current.since

export function noteStream(open: boolean): void {
  streaming = open
  if (open) noteAnswer()
  else if (current.state === 'live') become('polling', current.since)
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
