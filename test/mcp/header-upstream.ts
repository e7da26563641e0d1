import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeaderUpstream {
  readonly url: string
  /** Every `tools/call` that arrived, and the headers it came with. */
  readonly calls: { readonly params: unknown; readonly headers: IncomingHttpHeaders }[]
  close(): void
}

const QUESTION = {
  resultType: 'input_required',
  inputRequests: {
    sure: {
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    },
  },
}

/** A server of 2026-07-28 over HTTP with these tools. It records what arrives, and asks where `ask` is set. */
export async function headerUpstream(tools: readonly object[]): Promise<HeaderUpstream> {
  const calls: HeaderUpstream['calls'] = []
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools },
    'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
  }
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method, params } = JSON.parse(String(Buffer.concat(chunks)))
    if (method === 'tools/call') calls.push({ params, headers: request.headers })
    const isAsking = params?.arguments?.ask === true && params.inputResponses === undefined
    const result = isAsking ? QUESTION : results[method]
    const error = { code: -32_601, message: 'Method not found' }
    response.writeHead(result ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    calls,
    close() {
      http.closeAllConnections()
      http.close()
    },
  }
}
