import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, type ConnectOptions, connect, type Place, place, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }

/** A process for this call alone, as clients start it that keep none. */
async function calledOnce(at: Place, call = PAY, options: ConnectOptions = {}): Promise<string> {
  const { client } = await connect(at, {
    ...options,
    args: ['--hold', '0', ...(options.args ?? [])],
  })
  const said = textOf(await client.callTool(call))
  await client.close()
  return said
}

promise(
  ['CS-MCP-45'],
  'a yes to a pending call is used by the next process that makes the call, once',
  async () => {
    const at = place()
    expect(await calledOnce(at)).toContain('waits for a person')
    // Asking again finds the question, and asks nobody else.
    expect(await calledOnce(at)).toContain('waits for a person')
    const id = await answer(at, 'approve')
    expect(at.witnessed()).toEqual([])
    expect(await calledOnce(at)).toBe('paid 5 to Lena')
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
    expect(await calledOnce(at)).toContain('waits for a person')
    const { approvals } = await (await at.store()).list({})
    expect(approvals).toHaveLength(2)
    expect(approvals.find((one) => one.id === id)?.execution?.state).toBe('succeeded')
  },
)

promise.each(
  ['CS-MCP-45'],
  'a yes is of no use to another process',
  [
    ['with other arguments', { ...PAY, arguments: { to: 'Lena', amount: 6 } }, {}],
    ['of another agent', PAY, { args: ['--agent', 'other'] }],
    ['whose server has other settings', PAY, { env: { BANK_PROFILE: 'production' } }],
    ['in front of another server', PAY, { args: ['--name', 'other'] }],
  ] as [string, typeof PAY, ConnectOptions][],
  async (_, call, options) => {
    const at = place()
    expect(await calledOnce(at)).toContain('waits for a person')
    await answer(at, 'approve')
    expect(await calledOnce(at, call, options)).toContain('waits for a person')
    expect(at.witnessed()).toEqual([])
    expect(await calledOnce(at)).toBe('paid 5 to Lena')
  },
)

promise(
  ['CS-MCP-45'],
  'a process beside another has a run of its own, and is told whose a yes is',
  async () => {
    const at = place()
    const args = ['--hold', '0']
    const first = await connect(at, { args })
    expect(textOf(await first.client.callTool(PAY))).toContain('waits for a person')
    const id = await answer(at, 'approve')
    const second = await connect(at, { args })
    const status = { name: 'countersign_status', arguments: { id } }
    expect(textOf(await second.client.callTool(status))).toContain('asks a person again')
    expect(textOf(await second.client.callTool(PAY))).toContain('waits for a person')
    expect(textOf(await first.client.callTool(status))).toContain('runs it')
    expect(textOf(await first.client.callTool(PAY))).toBe('paid 5 to Lena')
  },
)
