/** Who is signed in, and whether the server answers. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../client.ts'
import { silentFor } from '../connection.ts'

const getMe = () => call('GET /v1/me')

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: getMe, staleTime: 60_000 })

/** Disabled during sign-in: an answer from before would count as the one from after. */
export const useMe = (enabled: boolean) => useQuery({ ...meQuery, enabled })

/** Asks only whether the server answers; `connection` keeps the result. */
export function pingServer(): void {
  call('GET /healthz', { timeout: TIMEOUT_MS }).catch(() => {})
}

const INTERVAL_MS = 2_000
const TIMEOUT_MS = 3_500

/**
 * A server that hangs keeps its streams open and says nothing, so a visible page pings it after a
 * second of silence. The worst case is 6.5 s until the page says so: ten are promised, and the rest
 * is for a browser on a busy machine.
 */
export function watchServer(): () => void {
  const look = () => {
    if (!document.hidden && silentFor() >= 1_000) pingServer()
  }
  const timer = setInterval(look, INTERVAL_MS)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}
