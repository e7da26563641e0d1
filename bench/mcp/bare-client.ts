import { Agent, request } from 'node:http'

/*
 * Clients that only write and read: no official one speaks 2026-07-28 yet, and beside them the cost
 * of a proxy stands out most.
 */
export type Say = (say: string, tool: string) => Promise<string | undefined>

interface Posted {
  readonly body: Record<string, unknown>
  readonly session: string | undefined
}

function poster(url: string, given: Readonly<Record<string, string>>) {
  const agent = new Agent({ keepAlive: true })
  return (message: object, more: Readonly<Record<string, string>> = {}): Promise<Posted> => {
    const text = JSON.stringify(message)
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(text),
      ...given,
      ...more,
    }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const answered = Buffer.concat(chunks).toString()
          // Plain, or the one message of a stream.
          const json = answered.startsWith('{') ? answered : /^data: (\{.*)$/m.exec(answered)?.[1]
          const session = response.headers['mcp-session-id']
          resolve({ body: JSON.parse(json ?? '{}'), session: session?.toString() })
        })
      })
      sent.on('error', reject)
      sent.end(text)
    })
  }
}

function saidIn({ body }: Posted): string | undefined {
  const { content } = (body.result ?? {}) as { content?: { text?: string }[] }
  return content?.[0]?.text
}

/** A session of the older era. */
export async function legacyClient(
  url: string,
  headers: Record<string, string> = {},
): Promise<Say> {
  const post = poster(url, headers)
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const { session = '' } = await post({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: hello,
  })
  const more = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, more)
  let id = 0
  return async (say, tool) => {
    const params = { name: tool, arguments: { say } }
    return saidIn(await post({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params }, more))
  }
}

/** Requests of the newer era: every one says by itself who it is from. */
export function modernClient(url: string, headers: Record<string, string> = {}): Say {
  const post = poster(url, headers)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  let id = 0
  return async (say, tool) => {
    const more = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    }
    const params = { name: tool, arguments: { say }, _meta }
    return saidIn(await post({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params }, more))
  }
}
