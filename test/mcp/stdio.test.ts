import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, connect, place, question, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }

promise(
  ['SP-23', 'SP-45', 'SP-47', 'CS-MCP-1', 'CS-RISK-1'],
  'a server is listed under its own names, and nothing runs before a yes',
  async () => {
    const at = place()
    const { client, stderr } = await connect(at)
    expect(client.getServerVersion()).toMatchObject({ name: 'bank', version: '1.2.3' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('pay')
    expect(stderr()).toContain('people decide at http://127.0.0.1:')
    const paying = client.callTool(PAY)
    expect((await question(at)).call.looks).toBe('L4')
    expect(at.witnessed()).toEqual([])
    await answer(at, 'approve')
    expect(textOf(await paying)).toBe('paid 5 to Lena')
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
  },
)

promise(['SP-48'], 'a denied call never reaches the server, and the model is told', async () => {
  const at = place()
  const { client } = await connect(at)
  const paying = client.callTool(PAY)
  await answer(at, 'deny')
  const result = await paying
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('was denied by a person and did not run')
  expect(at.witnessed()).toEqual([])
})
