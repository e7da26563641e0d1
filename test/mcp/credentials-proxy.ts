import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  readonly url: URL
  close(): void
}

/** The suite brings no credentials, so they are added on the way. Everything else stays as it is. */
export async function credentialsProxy(
  target: URL,
  headers: Readonly<Record<string, string>>,
): Promise<Proxy> {
  const own = createServer((incoming, outgoing) => {
    // Whoever asks for us means the one behind us; any other name is passed on as it came.
    const meant = (name = '') => name.replace(`127.0.0.1:${port()}`, target.host)
    const { host, origin } = incoming.headers
    const sent = request(
      target,
      {
        method: incoming.method ?? 'GET',
        headers: {
          ...incoming.headers,
          ...headers,
          host: meant(host),
          ...(origin === undefined ? {} : { origin: meant(origin) }),
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        outgoing.flushHeaders()
        answer.pipe(outgoing)
      },
    )
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  const port = () => (own.address() as AddressInfo).port
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(target.pathname, `http://127.0.0.1:${port()}`),
    close() {
      own.closeAllConnections()
      own.close()
    },
  }
}
