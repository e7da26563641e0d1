import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { createGate } from '../../src/gate/gate.ts'
import { gateServer } from '../../src/gateway/gate-server.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { keyFolder } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { chatWorld, textOf } from './chat-world.ts'

const policyAt = (url: string) =>
  `version: 1\nmcp_servers:\n  - { alias: bank, url: "${url}", approval: true }\n`

/** A bank with a gate of its own; it writes down what it really paid, and every proof it was sent. */
async function bank(store: Store) {
  const paid: number[] = []
  const proofs: string[] = []
  const text = policyAt('http://127.0.0.1/')
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
  // The same acting user: a proof is for the call of that person, and of no other.
  const principal = { issuer: 'local', subject: 'ana@example.com' }
  const inner = createGate({ policy, store, agent: 'inner', principal })
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : undefined
    const proof = body?.params?._meta?.['countersign/proof']
    if (typeof proof === 'string') proofs.push(proof)
    const server = new McpServer({ name: 'bank', version: '1' })
    gateServer(server, { gate: inner, server: 'bank', hold: 300 })
    const schema = { description: 'Pays.', inputSchema: { amount: z.number() } }
    server.registerTool('pay', schema, ({ amount }) => {
      paid.push(amount)
      return { content: [{ type: 'text', text: `paid ${amount}` }] }
    })
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response, body)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
  return { paid, proofs, url }
}

promise(
  ['CS-CHAT-4', 'SP-20', 'SP-49'],
  'a chat call to a server with a gate of its own is asked about once; an imitation is asked',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-keys-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = memoryStore()
    const { paid, proofs, url } = await bank(store)
    const { signIn } = chatWorld(policyAt(url.href), {
      store,
      mcp: mcpGateway(),
      keys: keyFolder(folder),
    })
    const ana = await signIn('ana@example.com')
    const id = await ana.begin()
    const turn = await ana.say(id, 'bank_pay {"amount": 5}')
    const [approval = ''] = await turn.asked()
    expect(paid).toEqual([])
    await ana.decide(approval, 'approve')
    await turn.ended()
    expect(textOf((await ana.read(id)).last)).toContain('paid 5')
    expect(paid).toEqual([5])
    expect((await store.list({})).approvals).toHaveLength(1)

    // With the very proof that the chat sent, which is spent, and with one that was made up.
    const client = new Client({ name: 'countersign', version: '1' })
    const transport = new StreamableHTTPClientTransport(url)
    await client.connect(transport as Parameters<Client['connect']>[0])
    onTestFinished(() => client.close())
    expect(proofs).toHaveLength(1)
    for (const proof of [...proofs, 'eyJhbGciOiJub25lIn0.e30.']) {
      const _meta = { 'countersign/proof': proof }
      const again = await client.callTool({ name: 'pay', arguments: { amount: 5 }, _meta })
      expect(JSON.stringify(again)).toContain('has not run')
    }
    expect(paid).toEqual([5])
  },
)
