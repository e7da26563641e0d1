/** As much of gRPC as a Temporal frontend needs: unary calls over HTTP/2. */
import {
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** Status codes of gRPC. */
export const INVALID_ARGUMENT = 3
export const NOT_FOUND = 5
export const ALREADY_EXISTS = 6
export const UNIMPLEMENTED = 12
const INTERNAL = 13

export class GrpcError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** `gone`: the caller no longer waits for the response. */
export type Unary = (request: Buffer, gone: AbortSignal) => Promise<Uint8Array> | Uint8Array

export interface GrpcServer {
  readonly address: string
  close(): Promise<void>
}

const FRAME = 5

export async function serveGrpc(method: (path: string) => Unary | undefined): Promise<GrpcServer> {
  const server = createServer()
  const sessions = new Set<Http2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // A worker that is killed resets its connection.
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    void answer(stream, headers, method)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}

async function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  method: (path: string) => Unary | undefined,
): Promise<void> {
  const gone = new AbortController()
  stream.once('close', () => gone.abort())
  const path = String(headers[':path'])
  try {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const handle = method(path)
    if (!handle) throw new GrpcError(UNIMPLEMENTED, `${path} is not part of this server`)
    const message = await handle(messageIn(Buffer.concat(chunks)), gone.signal)
    if (stream.destroyed) return
    const frame = Buffer.alloc(FRAME)
    frame.writeUInt32BE(message.length, 1)
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    )
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.concat([frame, message]))
  } catch (error) {
    if (stream.destroyed || stream.headersSent) return
    const status = error instanceof GrpcError ? error.status : INTERNAL
    if (status === INTERNAL) process.stderr.write(`${path}: ${String(error)}\n`)
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(status),
        'grpc-message': encodeURIComponent(String((error as Error).message)),
      },
      { endStream: true },
    )
  }
}

/** One message behind its frame: a flag for gzip, and the length. */
function messageIn(body: Buffer): Buffer {
  const message = body.subarray(FRAME)
  return body[0] === 1 ? gunzipSync(message) : message
}
