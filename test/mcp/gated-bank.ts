import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { createGate } from '../../src/gate/gate.ts'
import { gateServer } from '../../src/gateway/gate-server.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import type { Store } from '../../src/store/store.ts'

export const policyAt = (url: string) =>
  `version: 1\nmcp_servers:\n  - { alias: bank, url: "${url}", approval: true }\n`

/** A bank with a gate of its own; it writes down what it really paid, and every proof it was sent. */
export async function gatedBank(store: Store) {
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
