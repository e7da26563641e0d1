import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished } from 'vitest'
import { createConnections } from '../../src/server/oauth/connections.ts'
import { createConsents } from '../../src/server/oauth/consents.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK, textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'

const CLIENT = 'https://client.example/client.json'
const VERIFIER = 'v'.repeat(43)
const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }
const ANA = { issuer: 'local', subject: 'ana@example.com' }

/** A bank where `pay` asks like this. */
async function bank(approval: string) {
  const witness = path.join(folder(), 'witness')
  const at = await gateway(
    `version: 1
mcp_servers:
  - alias: bank
    command: ${process.execPath}
    args: [${BANK}]
    env: { WITNESS: ${witness} }
    approval: ${approval}
`,
    { hold: 3_000, oauth: { allowHosts: [], clients: undefined } },
  )
  return { ...at, ran: () => (existsSync(witness) ? readFileSync(witness, 'utf8') : '') }
}

/** Tokens of a client that Ana allowed. How she does that is another test's subject. */
async function allowed({ store, url }: Gateway) {
  const redirect = new URL('https://client.example/callback')
  const wanted = {
    client: { id: new URL(CLIENT), redirects: [redirect] },
    redirect,
    state: undefined,
    challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    resource: url.href,
  }
  const account = { ...ANA, roles: ['approver'] as const }
  const person = { ...account, groups: [], assurance: 'signed-in' as const }
  const ana = { kind: 'person', account, person, session: { id: 's' } } as never
  const consents = createConsents(store)
  const { code } = await consents.answer(await consents.open(wanted, ana), ana, true)
  return createConnections(store).exchange(code ?? '', {
    client: CLIENT,
    redirect: redirect.href,
    verifier: VERIFIER,
    resource: url.href,
  })
}

/** A client that says yes to everything it is asked. */
async function eager({ url }: Gateway, token: string) {
  const asked: string[] = []
  const client = new Client({ name: 'eager', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { decision: 'approve' } }
  })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const transport = new StreamableHTTPClientTransport(url, { requestInit })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return { client, asked }
}

promise(
  ['CS-OA-7', 'CS-OA-8'],
  'a client that a person allowed does not answer for that person',
  async () => {
    const at = await bank('true')
    const { client, asked } = await eager(at, (await allowed(at)).access_token)
    const paying = client.callTool(PAY)
    await expect
      .poll(async () => (await at.store.list({ status: ['pending'] })).approvals)
      .toHaveLength(1)
    const [approval] = (await at.store.list({ status: ['pending'] })).approvals
    expect(approval?.call).toMatchObject({ agent: 'oauth.client.example', principal: ANA })
    expect(textOf(await paying)).toContain('http://127.0.0.1/approvals/')
    expect(asked).toEqual([])
    expect(at.ran()).toBe('')
  },
)

promise(
  ['CS-OA-8'],
  'who allowed a client does not approve its calls where others have to',
  async () => {
    const at = await bank('{ approvers: ["*"] }')
    const tokens = await allowed(at)
    const { client } = await eager(at, tokens.access_token)
    const paying = client.callTool(PAY)
    await expect(at.answer('approve')).rejects.toMatchObject({ code: 'self_approval' })
    const [approval] = (await at.store.list({ status: ['pending'] })).approvals
    const cy = { issuer: 'local', subject: 'cy@example.com', roles: ['approver'] as const }
    const by = at.server.credentials.accounts.person(cy, 'signed-in')
    const seen = approval?.digest ?? ''
    await at.server.gate.approvals.decide(approval?.id ?? '', { by, verdict: 'approve', seen })
    await paying
    expect(at.ran()).toBe('pay 5 Lena\n')
  },
)

promise(
  ['CS-OA-6', 'CS-OA-10'],
  'a session goes on with the next token, and ends with the connection',
  async () => {
    const at = await bank('false')
    const first = await allowed(at)
    const hello = await fetch(at.url, said(first.access_token, INITIALIZE))
    await hello.text()
    const session = hello.headers.get('mcp-session-id') ?? ''
    const next = await createConnections(at.store).refresh(first.refresh_token, CLIENT)
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const listed = await fetch(at.url, said(next.access_token, list, session))
    expect(listed.status).toBe(200)
    expect(await listed.text()).toContain('bank_pay')
    const [made] = await at.server.credentials.tokens.list()
    await at.server.credentials.tokens.revoke(made?.prefix ?? '')
    expect((await fetch(at.url, said(next.access_token, list, session))).status).toBe(401)
  },
)

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
}

function said(token: string, body: object, session?: string): RequestInit {
  return {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session ? { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' } : {}),
    },
    body: JSON.stringify(body),
  }
}
