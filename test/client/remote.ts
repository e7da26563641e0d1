import { remoteGate } from '../../src/client/remote-gate.ts'
import { HOST, type Running, running, type Sender } from '../server/harness.ts'

export const PAY = { tool: 'pay', run: 'r1', key: 'k1', args: { amount: 500, to: 'Lena' } }

export interface Remote {
  readonly own: Running
  readonly ana: Sender
  readonly gate: ReturnType<typeof remoteGate>
  /** What the client asked the server for. */
  readonly sent: string[]
  /** From now on the server cannot be reached, until told otherwise. */
  away(isAway: boolean): void
  /** The next answer from an address that ends like this does not arrive. */
  lose(path: string): void
}

export async function remote(
  options: Parameters<typeof running>[0] = {},
  retryFor: string | number = 0,
): Promise<Remote> {
  const own = running(options)
  const { authorization = '' } = await own.agent('bot')
  const sent: string[] = []
  let isAway = false
  let lost: string | undefined
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    retryFor,
    async fetch(input, init) {
      const url = new URL(String(input))
      sent.push(`${init?.method ?? 'GET'} ${url.pathname}`)
      if (isAway) throw new TypeError('fetch failed')
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      const answer = await own.server.app.request(`${url.pathname}${url.search}`, {
        ...init,
        headers,
      })
      if (lost === undefined || !url.pathname.endsWith(lost)) return answer
      lost = undefined
      throw new TypeError('fetch failed')
    },
  })
  const ana = await own.person('ana@example.com')
  return {
    own,
    ana,
    gate,
    sent,
    away: (to) => {
      isAway = to
    },
    lose: (path) => {
      lost = path
    },
  }
}
