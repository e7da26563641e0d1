import { appendFileSync, existsSync, watchFile } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

// A server that has everything but tools, and writes down each request that reaches it. Told so by
// a file, it says of its own accord that a resource changed, and asks the client something.
const [, , witness = '', hints = '{}'] = process.argv
// What it says of everything it has, such as `{"annotations":{"readOnlyHint":false}}`, and the code
// of the error that one of its lists gets. `templates`: what it says of those instead.
// `slow`: how long its lists take.
const {
  broken,
  templates,
  slow = 0,
  ...said
} = JSON.parse(hints) as {
  readonly broken?: Record<string, number>
  readonly templates?: object
  readonly slow?: number
}
const say = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const ASK = { message: 'Your key?', requestedSchema: { type: 'object', properties: {} } }

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly uri?: string }
}

function answer({ method, params }: Asked): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: {
          resources: { subscribe: true },
          prompts: {},
          completions: {},
          logging: {},
        },
        serverInfo: { name: 'shelf', version: '1' },
      }
    case 'resources/list':
      return { resources: [{ uri: 'db://users', name: 'users', ...said }] }
    case 'resources/templates/list':
      return {
        resourceTemplates: [{ uriTemplate: 'db://{table}', name: 'table', ...(templates ?? said) }],
      }
    case 'resources/read':
      return { contents: [{ uri: params?.uri, text: 'all users' }] }
    case 'prompts/list':
      return { prompts: [{ name: 'hello', ...said }] }
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] }
    case 'logging/setLevel':
      if (existsSync(`${witness}.talks`)) {
        watchFile(`${witness}.talks`, { interval: 20 }, () => {
          say({ method: 'notifications/resources/updated', params: { uri: 'db://users' } })
          say({ id: 900, method: 'elicitation/create', params: ASK })
        })
      }
      return {}
    case 'completion/complete':
      return { completion: { values: ['one'] } }
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return {}
    default:
      return undefined
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as Asked
  if (asked.id === undefined) continue
  if (asked.method === undefined) {
    appendFileSync(witness, `answered ${line.includes('error') ? 'no' : 'yes'}\n`)
    continue
  }
  if (!/list$|initialize|ping/.test(asked.method)) {
    appendFileSync(witness, `${asked.method} ${JSON.stringify(asked.params)}\n`)
  }
  if (asked.method.endsWith('/list')) await sleep(slow)
  const result = answer(asked)
  const code = asked.params?.uri === 'db://broken' ? -32099 : broken?.[asked.method]
  const isBroken = code !== undefined
  const error = { code: code ?? -32601, message: 'unknown' }
  const body = result && !isBroken ? { result } : { error }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })}\n`)
}
