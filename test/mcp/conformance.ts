import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { cleanEnv } from '../cli/countersign.ts'

const SUITE = path.resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** The suite brings no credentials, so they are added on the way. Everything else stays as it is. */
export async function withCredentials(
  target: URL,
  headers: Readonly<Record<string, string>>,
): Promise<URL> {
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
  onTestFinished(() => {
    own.closeAllConnections()
    own.close()
  })
  return new URL(target.pathname, `http://127.0.0.1:${port()}`)
}

/** Everything the suite prints. */
export function suite(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, [SUITE, ...args], {
    cwd,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}
