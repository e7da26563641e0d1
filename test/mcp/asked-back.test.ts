import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { openQuestions } from '../../src/approval/talk.ts'
import { person } from '../gate/gates.ts'
import { promise } from '../support/promise.ts'
import { BANK, textOf } from './gateway.ts'
import { gateway } from './http-gateway.ts'

const POLICY = `version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], approval: true }
`

async function connected(url: URL, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'client', version: '1' })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

promise(
  ['CS-TALK-1', 'CS-TALK-3'],
  'a client of the gateway reads the question and answers it, and no other client does',
  async () => {
    const at = await gateway(POLICY)
    const client = await connected(at.url, await at.agent('bot'))
    const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }
    const paying = client.callTool(PAY)
    const id = await expect
      .poll(async () => (await at.store.list({ status: ['pending'] })).approvals[0]?.id, {
        timeout: 20_000,
      })
      .toBeDefined()
      .then(async () => (await at.store.list({ status: ['pending'] })).approvals[0]?.id ?? '')
    const kim = person('kim')
    await at.server.gate.approvals.question(id, { by: kim, text: 'Who is Lena?' })
    // The call returns at once, although it could have been held for longer.
    const told = textOf(await paying)
    expect(told).toContain('a person asks: "Who is Lena?".')
    expect(told).toContain('countersign_answer')
    const answer = { name: 'countersign_answer', arguments: { id, text: 'My landlady.' } }
    const other = await connected(at.url, await at.agent('other'))
    expect(textOf(await other.callTool(answer))).toBe(`There is no approval "${id}" of yours.`)
    const now = async () => (await at.store.get(id)) ?? Promise.reject(new Error('gone'))
    expect(openQuestions(await now())).toHaveLength(1)
    expect(textOf(await client.callTool(answer))).toContain('has not run')
    expect(openQuestions(await now())).toEqual([])
    expect((await now()).status).toBe('pending')
    const again = await client.callTool(answer)
    expect(again.isError).toBe(true)
    await at.answer('approve')
    await client.callTool(PAY)
    expect((await now()).execution).toBeDefined()
  },
)
