/** One request of 2026-07-28 to `/mcp`, with the headers it needs. */
const PREFIX = 'io.modelcontextprotocol'

export interface ModernRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly capabilities?: object
  readonly headers?: Readonly<Record<string, string>>
}

export async function modernRequest(
  url: URL,
  agent: Readonly<Record<string, string>>,
  { method, params = {}, capabilities = {}, headers = {} }: ModernRequest,
) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...agent,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'mine',
      method,
      params: {
        ...params,
        _meta: {
          [`${PREFIX}/protocolVersion`]: '2026-07-28',
          [`${PREFIX}/clientCapabilities`]: capabilities,
        },
      },
    }),
  })
  const { result, error } = (await answer.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
    readonly result?: any
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  }
  return { status: answer.status, result, error }
}
