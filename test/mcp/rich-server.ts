import { createInterface } from 'node:readline'

// A server whose one tool answers with everything a result can hold, or with an error of its own.
const outputSchema = {
  type: 'object',
  properties: { total: { type: 'number' }, rows: { type: 'array' } },
  required: ['total'],
}
export const RESULTS: Readonly<Record<string, object>> = {
  rich: {
    content: [
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second', annotations: { audience: ['user'], priority: 0.5 } },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
    ],
    structuredContent: { total: 3, rows: [{ a: null }, { b: 'ü' }] },
    _meta: { 'example.com/trace': 'x' },
  },
  broken: {
    content: [
      { type: 'text', text: 'no such table' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    ],
    isError: true,
  },
}

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { as?: string } }
}

function answer({ method, params }: Asked): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'rich', version: '1' },
      }
    case 'tools/list': {
      const inputSchema = { type: 'object', properties: { as: { type: 'string' } } }
      return { tools: [{ name: 'report', inputSchema, outputSchema }] }
    }
    case 'tools/call':
      return RESULTS[params?.arguments?.as ?? '']
    default:
      return undefined
  }
}

if (process.argv[2] === 'serve') {
  for await (const line of createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line) as Asked
    if (asked.id === undefined) continue
    const result = answer(asked)
    const body = result ? { result } : { error: { code: -32_050, message: 'out of paper' } }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })}\n`)
  }
}
