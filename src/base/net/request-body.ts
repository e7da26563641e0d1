const INCOMING = Symbol('incoming')

/** What is used of Node's `IncomingMessage`. */
export interface IncomingBody {
  readonly headers: { readonly 'content-length'?: string | undefined }
  readonly readableLength: number
  readonly readableDidRead: boolean
  readonly destroyed: boolean
  read(): unknown
  resume(): unknown
  once(event: 'close', listener: () => void): unknown
}

type Told = Request & { [INCOMING]?: IncomingBody }

/**
 * Says which message of Node this very request was made of. A request that another program makes of
 * it, with another body perhaps, does not have it.
 */
export function tellIncoming(request: Request, incoming: IncomingBody): void {
  const told: Told = request
  told[INCOMING] = incoming
}

/** All bytes of the body. Its size is the caller's to bound. */
export async function bodyBytes(request: Request): Promise<Uint8Array> {
  return (await arrivedBytes(request)) ?? new Uint8Array(await request.arrayBuffer())
}

/**
 * A body that came with its headers, as small ones do, lies in memory as a whole. Taking it from
 * there saves the copy and the listeners that `arrayBuffer` costs.
 */
function arrivedBytes(request: Told): Promise<Uint8Array> | undefined {
  const incoming = request[INCOMING]
  if (!incoming || incoming.readableDidRead || incoming.destroyed) return undefined
  const { readableLength, headers } = incoming
  if (readableLength === 0 || headers['content-length'] !== `${readableLength}`) return undefined
  const bytes = incoming.read() as Uint8Array
  return new Promise((resolve) => {
    // Every message closes: at its end, or when its connection breaks.
    incoming.once('close', () => resolve(bytes))
    incoming.resume()
  })
}
