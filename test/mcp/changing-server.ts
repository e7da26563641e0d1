import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A server of one tool that says of itself whatever the file says: as one does that is updated. What
// begins as JSON is taken for members of the tool.
// With a second file it writes down what it really ran, and has a tool that ends it.
const [, , says = '', witness] = process.argv
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { text?: string }
  }
}

function answer({ method, params }: Asked): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'notes', version: '1' },
      }
    case 'tools/list': {
      const text = readFileSync(says, 'utf8')
      const said = text.startsWith('{')
        ? { description: 'Notes.', ...JSON.parse(text) }
        : { description: text }
      const stop = {
        name: 'stop',
        description: 'Ends the server.',
        inputSchema: { type: 'object' },
      }
      const own = witness === undefined ? [] : [stop]
      return { tools: [{ name: 'note', inputSchema, ...said }, ...own] }
    }
    case 'tools/call':
      if (params?.name === 'stop') process.exit()
      if (witness !== undefined) appendFileSync(witness, `${params?.arguments?.text}\n`)
      return { content: [{ type: 'text', text: `noted ${params?.arguments?.text}` }] }
    default:
      return undefined
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as Asked
  if (asked.id === undefined) continue
  const result = answer(asked)
  const body = result ? { result } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })}\n`)
}
