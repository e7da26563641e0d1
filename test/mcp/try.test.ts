import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, vi } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK, textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { type Signed, signedIn } from './signed-in.ts'

interface Bank extends Gateway {
  readonly witness: string
}

async function bank(pay: string): Promise<Bank> {
  const witness = path.join(folder(), 'witness')
  const at = await gateway(
    `version: 1
mcp_servers:
  - alias: bank
    command: ${process.execPath}
    args: [${BANK}]
    env: { WITNESS: ${witness} }
    allowed_tools: [{ name: pay, approval: ${pay} }, { name: look, approval: false }]
`,
    { hold: 2_000 },
  )
  return { ...at, witness }
}

/** The inbox's own client of a server, here as a client of the SDK. */
async function tries(
  { url }: Gateway,
  { headers }: Signed,
  onAsked?: (message: string) => Promise<'accept' | 'decline'>,
): Promise<Client> {
  const capabilities = onAsked ? { elicitation: { form: {} } } : {}
  const client = new Client({ name: 'inbox', version: '1' }, { capabilities })
  if (onAsked) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const action = await onAsked(params.message)
      return { action, ...(action === 'accept' ? { content: { decision: 'approve' } } : {}) }
    })
  }
  const transport = new StreamableHTTPClientTransport(new URL('/v1/servers/bank/try', url), {
    requestInit: { headers },
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

const ran = ({ witness }: Bank) => (existsSync(witness) ? readFileSync(witness, 'utf8') : '')

promise(
  ['CS-TRY-1', 'SP-47'],
  'trying a tool asks as a client asks, and the answer is on record as one',
  async () => {
    const at = await bank('true')
    const ana = await signedIn(at, 'ana@example.com', ['approver'])
    const asked: string[] = []
    const client = await tries(at, ana, async (message) => {
      asked.push(message)
      expect(ran(at)).toBe('')
      await new Promise((resolve) => setTimeout(resolve, 800))
      return 'accept'
    })
    const result = await client.callTool({ name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } })
    expect(textOf(result)).toBe('paid 5 to Lena')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('  amount = 5\n')
    expect(ran(at)).toBe('pay 5 Lena\n')
    const { approvals } = await at.store.list({})
    expect(approvals).toMatchObject([
      {
        status: 'approved',
        call: {
          door: 'mcp',
          agent: 'try-it/ana@example.com',
          principal: { subject: 'ana@example.com' },
        },
        decisions: [{ by: { subject: 'ana@example.com', assurance: 'elicitation' } }],
      },
    ])
  },
)

promise(
  ['CS-TRY-2', 'CS-MCP-7'],
  'whoever tries a tool cannot approve what other people must approve',
  async () => {
    const at = await bank('{ approvers: ["*"] }')
    const ana = await signedIn(at, 'ana@example.com', ['approver', 'admin'])
    const onAsked = vi.fn(async () => 'accept' as const)
    const client = await tries(at, ana, onAsked)
    const call = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }
    const waiting = client.callTool(call)
    const [approval] = await vi.waitFor(async () => {
      const { approvals } = await at.store.list({ status: ['pending'] })
      expect(approvals).toHaveLength(1)
      return approvals
    }, 10_000)
    const own = await ana.send('POST', `/v1/approvals/${approval?.id}/decisions`, {
      verdict: 'approve',
      digest: approval?.digest,
    })
    expect(own).toMatchObject({ status: 403, body: { error: { code: 'self_approval' } } })
    expect(textOf(await waiting)).toContain('waits for a person')
    expect(onAsked).not.toHaveBeenCalled()
    expect(ran(at)).toBe('')
    const bo = await signedIn(at, 'bo@example.com', ['approver'])
    const yes = { verdict: 'approve', digest: approval?.digest }
    expect((await bo.send('POST', `/v1/approvals/${approval?.id}/decisions`, yes)).status).toBe(200)
    expect(textOf(await client.callTool(call))).toBe('paid 5 to Lena')
  },
)

promise(['CS-TRY-1', 'CS-LOCK-1'], 'locks, roles and sessions hold while trying', async () => {
  const at = await bank('true')
  const [ana, bo] = [
    await signedIn(at, 'ana@example.com', ['approver']),
    await signedIn(at, 'bo@example.com', ['admin', 'approver']),
  ]
  const viewer = await signedIn(at, 'vi@example.com', ['viewer'])
  await expect(tries(at, viewer)).rejects.toThrow(/403|not_permitted/)
  const ghost = await ana.send('POST', '/v1/servers/ghost/try', { jsonrpc: '2.0' })
  expect(ghost.status).toBe(404)
  const client = await tries(at, ana)
  const look = { name: 'bank_look', arguments: { what: 'x' } }
  expect(textOf(await client.callTool(look))).toBe('saw x with nothing')
  const person = { issuer: 'local', subject: 'ana@example.com' }
  const lock = { target: { person }, reason: 'left' }
  expect((await bo.send('POST', '/v1/locks', lock)).status).toBe(201)
  await expect(client.callTool(look)).rejects.toThrow(/423|locked/)
  const agent = await at.agent('billing')
  const asAgent = await fetch(new URL('/v1/servers/bank/try', at.url), {
    method: 'POST',
    headers: { ...agent, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(asAgent.status).toBe(403)
  expect(ran(at)).toBe('look x\n')
})
