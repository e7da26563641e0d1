import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { signInWith } from './signed-in.ts'

/*
 * What the conformance suite starts for its scenarios of signing in: Countersign before the suite's
 * server, an admin who signs in wherever the server says, and an agent that calls every tool.
 */
const url = process.argv[2] ?? ''
const store = memoryStore()
const text = `version: 1\nmcp_servers: [{ alias: suite, url: "${url}", approval: false }]\n`
const { countersign, internals } = composeCountersign({
  ...{ store, keys: memoryKeys(), push: false },
  policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
  mcp: mcpGateway({ allowHosts: ['localhost', '127.0.0.1'] }),
})
await countersign.ready()
const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
const here = new URL(serving.url)
const admin = await signInWith(
  here,
  await signInSecret(store, { email: 'ana@example.com', roles: ['admin'] }),
)
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')

interface Begun {
  readonly to?: { readonly url: string }
  readonly needsClient?: { readonly issuer: string }
}

/** The suite's authorization server asks no person, and sends the browser back at once. */
async function signIn(client?: object): Promise<boolean> {
  const { body } = await admin.send('POST', '/v1/servers/suite/sign-in', client ? { client } : {})
  const { to, needsClient } = body as Begun
  if (needsClient && given.client_id !== undefined && client === undefined) {
    const { client_id: id, client_secret: secret } = given
    return signIn({ id, secret, issuer: needsClient.issuer })
  }
  if (!to) return said(body)
  const { headers } = await fetch(to.url, { redirect: 'manual' })
  const back = new URL(headers.get('location') ?? '', to.url)
  const place = back.pathname.split('/').at(-1)
  const query = back.search.slice(1)
  const finished = await admin.send('POST', '/v1/servers/sign-ins', { place, query })
  return finished.status === 200 || said(finished.body)
}

function said(problem: unknown): false {
  process.stderr.write(`${JSON.stringify(problem)}\n`)
  return false
}

/** Calls every tool; what was said, errors included. */
async function callAll(token: string): Promise<string> {
  const client = new Client({ name: 'conformance', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const transport = new StreamableHTTPClientTransport(new URL('mcp', here), { requestInit })
  try {
    await client.connect(transport as Parameters<Client['connect']>[0])
    const { tools, _meta } = await client.listTools()
    const results = await Promise.all(
      tools
        .filter(({ name }) => name.startsWith('suite_'))
        .map(({ name }) => client.callTool({ name, arguments: {} }).catch(String)),
    )
    return JSON.stringify([results, _meta])
  } catch (error) {
    return String(error)
  } finally {
    await client.close()
  }
}

try {
  await signIn()
  const { token } = await internals().server.credentials.tokens.create({ agent: 'suite' })
  // What the server wants more, or wants anew, is shown to the admin, who signs in once more.
  const wants = (await callAll(token)).includes('countersign mcp login')
  if (wants && (await signIn())) await callAll(token)
} finally {
  await countersign.close()
  await serving.close()
}
