import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { CountersignError } from '../base/errors.ts'

export interface Serving {
  readonly url: string
  /** Takes no more requests, and resolves when those that run are answered, or after ten seconds. */
  readonly close: () => Promise<void>
}

const GRACE_MS = 10_000

export function serve(app: Hono, { host, port }: { host: string; port: number }): Promise<Serving> {
  const server = createAdaptorServer({ fetch: app.fetch })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${bound}/`, close: () => close(server) })
    })
  })
}

function close(server: ReturnType<typeof createAdaptorServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    if (!('closeIdleConnections' in server)) return
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), GRACE_MS).unref()
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
