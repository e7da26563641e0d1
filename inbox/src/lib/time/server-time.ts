/** Deadlines are on the server's clock, and the clock of a laptop may be wrong. */
import { useSyncExternalStore } from 'react'

let ahead = 0
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

export function setServerTime(now: number): void {
  // A few seconds are the way here and back; jumping for them would make countdowns stutter.
  if (Math.abs(now - Date.now() - ahead) > 2_000) ahead = now - Date.now()
}

export function serverNow(): number {
  return Date.now() + ahead
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Renders again only when the answer changed: a thousand countdowns cost next to nothing. */
export function useClock<T extends string | number | boolean>(read: (now: number) => T): T {
  return useSyncExternalStore(listen, () => read(serverNow()))
}
