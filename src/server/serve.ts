import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { CountersignError } from '../base/errors.ts'
import { tellIncoming } from '../base/net/request-body.ts'
import { type Outgoing, tellOutgoing } from './http/direct-stream.ts'

export interface Serving {
  readonly url: string
  /** Takes no more requests, and resolves when those that run are answered, or after ten seconds. */
  readonly close: () => Promise<void>
}

const GRACE_MS = 10_000
/** How often connections that have nothing under way are closed while the rest is answered. */
const IDLE_MS = 50

/** What answers requests: `createCountersign(…)`, or an app of Hono that mounts it. */
export interface Fetcher {
  readonly fetch: (request: Request, env: unknown) => Response | Promise<Response>
}

export function serve(
  { fetch }: Fetcher,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Serving> {
  const server = createAdaptorServer({
    fetch(request, env) {
      tellIncoming(request, env.incoming)
      const answer = fetch(request, env)
      // All others are spared the promise.
      return env.incoming.url?.includes(LIVE) ? told(answer, env.outgoing) : answer
    },
  }) as Server
  const answering = trackAnswers(server)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${bound}/`, close: () => close(server, answering) })
    })
  })
}

/** Where live events are, wherever the server is mounted. */
const LIVE = '/v1/events'

async function told(answer: Response | Promise<Response>, outgoing: Outgoing): Promise<Response> {
  return tellOutgoing(await answer, outgoing)
}

interface Answering {
  /** From now on each answer is the last on its connection. */
  end(): void
  /** Closes connections that nothing came over. Node counts them as busy, and clients open them ahead. */
  closeUnused(): void
}

function trackAnswers(server: Server): Answering {
  /** By connection, so that a request costs no listener of its own. */
  const latest = new Map<Socket, ServerResponse>()
  const open = new Set<Socket>()
  let isEnding = false
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      latest.delete(socket)
    })
  })
  server.prependListener('request', ({ socket }, response) => {
    if (isEnding) response.shouldKeepAlive = false
    else if (!socket.destroyed) latest.set(socket, response)
  })
  return {
    end() {
      isEnding = true
      for (const response of latest.values()) response.shouldKeepAlive = false
    },
    closeUnused() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

/** Kept alive, a connection would bring request after request to a server that is about to stop. */
function close(server: Server, answering: Answering): Promise<void> {
  return new Promise((resolve) => {
    const closeIdle = () => {
      server.closeIdleConnections()
      answering.closeUnused()
    }
    answering.end()
    const idle = setInterval(closeIdle, IDLE_MS)
    const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(grace)
      resolve()
    })
    closeIdle()
  })
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): CountersignError {
  const { code, message } = error
  if (code === 'EADDRINUSE') {
    return new CountersignError(
      'address_in_use',
      `${host}:${port} is already used by another program`,
      {
        hint: `Perhaps Countersign already runs there: open http://${host}:${port}/, or choose another port with --port.`,
        cause: error,
      },
    )
  }
  const why = code === 'EACCES' ? 'you may not use it' : message
  return new CountersignError('usage', `${host}:${port} cannot be used: ${why}`, {
    hint: 'Choose another port with --port.',
    cause: error,
  })
}
