import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface AskedEvaluation {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Answering = (response: ServerResponse, asked: AskedEvaluation) => void

export interface StartedPdp {
  readonly url: string
  /** Everything it was asked, in order. */
  readonly asked: readonly AskedEvaluation[]
  /** Answers otherwise from now on. */
  answer(by: Answering): void
}

export const permits = decides({ decision: true })
export const denies = decides({ decision: false, context: { reason: 'not_in_scope' } })

export function decides(body: unknown): Answering {
  return (response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }
}

/** A decision point on a port of this machine. Closed after the test. */
export async function startPdp(first: Answering = permits): Promise<StartedPdp> {
  let by = first
  const asked: AskedEvaluation[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || 'null')
      const one = { path: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      by(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer(next) {
      by = next
    },
  }
}
