/** As much of Express as the tests use; its own types are not installed. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Response extends ServerResponse {
    send(body: string): Response
    status(code: number): Response
  }
  type Handler = (request: IncomingMessage, response: Response) => unknown
  interface App extends RequestListener {
    get(path: string, handler: Handler): void
    all(path: string, handler: Handler): void
    use(handler: Handler): void
  }
  export default function express(): App
}
