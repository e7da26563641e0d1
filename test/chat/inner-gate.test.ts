import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { keyFolder } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { gatedBank, policyAt } from '../mcp/gated-bank.ts'
import { promise } from '../support/promise.ts'
import { chatWorld, textOf } from './chat-world.ts'

promise(
  ['CS-CHAT-4', 'SP-20', 'SP-49'],
  'a chat call to a server with a gate of its own is asked about once; an imitation is asked',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-keys-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = memoryStore()
    const { paid, proofs, url } = await gatedBank(store)
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
