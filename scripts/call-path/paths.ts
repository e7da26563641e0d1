import { fork } from 'node:child_process'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway, serve } from '../../src/app/node.ts'
import { createGate } from '../../src/gate/gate.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FilesRun } from './files-run.ts'

const ECHO = path.resolve(import.meta.dirname, '../../bench/mcp/echo-server.ts')
const ASK = definePolicy({ tools: { pay: { approval: true } } })

/** People decide in another process, so that deciding is not counted with the call. */
function startApprover(database: string): () => void {
  const child = fork(path.join(import.meta.dirname, 'approver.ts'), [database])
  return () => void child.kill()
}

/** From `gate.guard` to the result of a call that a person approves. */
export async function callPath(files: FilesRun, database: string): Promise<string[]> {
  const store = sqliteStore(database)
  const gate = createGate({ policy: ASK, store, agent: 'bot', run: 'chat', announce: false })
  const pay = gate.guard(({ amount }: { amount: number }) => `paid ${amount}`, { name: 'pay' })
  const call = () => pay({ amount: 5 }, { key: crypto.randomUUID() })
  const stop = startApprover(database)
  try {
    // The first one opens the database and fills caches: not what every call does.
    await call()
    return await files.in(call)
  } finally {
    stop()
    await gate.close()
    await store.close()
  }
}

/** One `tools/call` of an MCP client that a person approves, through `/mcp` to a server over HTTP. */
export async function mcpPath(files: FilesRun, database: string): Promise<string[]> {
  const upstream = fork(ECHO, ['http'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const port = await new Promise<string>((resolve) => {
    upstream.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  const url = `http://127.0.0.1:${port}/mcp`
  const text = `version: 1\nmcp_servers: [{ alias: web, url: "${url}", approval: true }]\n`
  const served = await serveOn(database, text)
  const { token } = await served.server.credentials.tokens.create({ agent: 'bot' })
  const client = new Client({ name: 'call-path', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const transport = new StreamableHTTPClientTransport(new URL('mcp', served.url), { requestInit })
  await served.signIn()
  const stop = startApprover(database)
  const call = async () => {
    const say = crypto.randomUUID()
    const { content } = await client.callTool({ name: 'web_echo', arguments: { say } })
    const [said] = content as { readonly text?: string }[]
    if (said?.text !== say) throw new Error(`web_echo answered ${JSON.stringify(content)}`)
  }
  try {
    await client.connect(transport as Parameters<Client['connect']>[0])
    await call()
    return (await files.in(call)).filter((file) => file.startsWith('gateway/'))
  } finally {
    stop()
    await client.close()
    await served.close()
    upstream.kill()
  }
}

/** A click on Approve: one POST to a server, as the inbox sends it. */
export async function decisionPath(files: FilesRun, database: string): Promise<string[]> {
  const served = await serveOn(database, 'version: 1\ntools: { pay: { approval: true } }\n')
  const { token } = await served.server.credentials.tokens.create({ agent: 'bot' })
  const agent = { authorization: `Bearer ${token}` }
  const person = await served.signIn()
  let asked: { readonly id: string; readonly digest: string }
  const ask = async () => {
    const call = { tool: 'pay', args: { amount: 5 }, run: 'chat', key: crypto.randomUUID() }
    const { id } = await served.post('v1/calls', agent, call)
    asked = await served.get(`v1/approvals/${id}`, person)
  }
  const decide = () => {
    const decision = { verdict: 'approve', digest: asked.digest }
    return served.post(`v1/approvals/${asked.id}/decisions`, person, decision)
  }
  try {
    await ask()
    await decide()
    return await files.in(decide, ask)
  } finally {
    await served.close()
  }
}

type Headers = Readonly<Record<string, string>>

/** A whole server on a socket, in this process. */
async function serveOn(database: string, text: string) {
  const store = sqliteStore(database)
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
  let url: string | undefined
  const { countersign, internals } = composeCountersign(
    { policy, store, mcp: mcpGateway() },
    { address: () => url, gatewayLog: () => {} },
  )
  await countersign.ready()
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  url = serving.url

  async function send(place: string, headers: Headers, body?: unknown) {
    const response = await fetch(new URL(place, serving.url), {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${place} answered ${response.status}: ${answer}`)
    return { answer: JSON.parse(answer), headers: response.headers }
  }

  return {
    url: serving.url,
    server: internals().server,
    post: async (place: string, headers: Headers, body: unknown) =>
      (await send(place, headers, body)).answer,
    get: async (place: string, headers: Headers) => (await send(place, headers)).answer,
    async signIn(): Promise<Headers> {
      const person = { email: 'ana@example.com', roles: ['approver'] } as const
      const secret = await signInSecret(store, person)
      const { answer, headers } = await send('v1/session', {}, { token: secret })
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
      return { cookie, 'x-countersign-csrf': answer.csrf }
    },
    async close() {
      await countersign.close()
      await serving.close()
      await store.close()
    },
  }
}
