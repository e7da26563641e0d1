import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { setAccount } from '../../src/server/identity/people.ts'
import { promise } from '../support/promise.ts'
import { answer, connect, place, question, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }
/** What a person needs to read a question; answers that come sooner do not count. */
const READING = 900

promise(
  ['SP-42', 'SP-44', 'CS-MCP-5'],
  'a yes in the client runs the call, a no does not',
  async () => {
    const at = place()
    const asked: string[] = []
    const answers = ['accept', 'decline', 'cancel'] as const
    const { client } = await connect(at, {
      async onElicit(message) {
        asked.push(message)
        await pause(READING)
        return { action: answers[asked.length - 1] ?? 'cancel' }
      },
    })
    expect(textOf(await client.callTool(PAY))).toBe('paid 5 to Lena')
    expect(asked).toEqual([`Run 'pay' with arguments {"amount":5,"to":"Lena"}?`])
    for (const [amount, words] of [
      [6, 'denied by a person'],
      [7, 'withdrawn'],
    ] as const) {
      const result = await client.callTool({ name: 'pay', arguments: { to: 'Lena', amount } })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain(words)
    }
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
    const { approvals } = await (await at.store()).list({ status: ['approved'] })
    expect(approvals[0]?.decisions[0]?.by.assurance).toBe('elicitation')
    const waits = await (await at.store()).records.get('mcp wait', approvals[0]?.id ?? '')
    expect(waits?.value).toMatchObject({ rung: 'elicitation', client: 'a-test' })
  },
)

promise(['CS-MCP-6'], 'an answer that nobody can have read is no answer', async () => {
  const at = place()
  const { client } = await connect(at, {
    args: ['--hold', '2'],
    onElicit: () => Promise.resolve({ action: 'accept' }),
  })
  const result = await client.callTool(PAY)
  expect(result.isError).toBeUndefined()
  expect(textOf(result)).toContain('has not run')
  expect(at.witnessed()).toEqual([])
})

promise(['CS-MCP-7'], 'a question for other people is not put to the client', async () => {
  const at = place('version: 1\ndefaults: { gateway: approve }\n')
  let asked = 0
  const { client } = await connect(at, {
    args: ['--hold', '1'],
    onElicit() {
      asked++
      return Promise.resolve({ action: 'accept' })
    },
  })
  const cy = { issuer: 'local', subject: 'cy', roles: ['approver'] as const }
  await setAccount((await at.store()).records, cy)
  expect(textOf(await client.callTool(PAY))).toContain('waits for a person')
  expect(asked).toBe(0)
})

promise(
  ['CS-MCP-8'],
  'a call that waits too long is pending, and the same call later runs it, once',
  async () => {
    const at = place()
    const { client } = await connect(at, { args: ['--hold', '1'] })
    const told: unknown[] = []
    const first = await client.callTool(PAY, undefined, {
      onprogress: (it) => told.push(it.message),
    })
    expect(first.isError).toBeUndefined()
    expect(told).toContain('Waiting for a person to approve this call')
    expect(textOf(first)).toMatch(/approval \S+\) and has not run.*http:\/\/127\.0\.0\.1/s)
    const id = (await question(at)).id
    expect(textOf(first)).toContain(id)
    const status = await client.callTool({ name: 'countersign_status', arguments: { id } })
    expect(textOf(status)).toContain('still waits')
    const waiting = client.callTool({ name: 'countersign_wait', arguments: { id } })
    await answer(at, 'approve')
    expect(textOf(await waiting)).toContain('was approved and has not run yet')
    expect(at.witnessed()).toEqual([])
    expect(textOf(await client.callTool(PAY))).toBe('paid 5 to Lena')
    expect(textOf(await client.callTool(PAY))).toContain('has not run')
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
  },
)

promise(
  ['SP-43'],
  'a client that fails to show its question runs nothing, with an inbox and without',
  async () => {
    for (const [args, words] of [
      [['--hold', '1'], 'has not run'],
      [['--no-inbox'], 'nobody can be asked'],
    ] as const) {
      const at = place()
      const onElicit = () => Promise.reject(new Error('the window is gone'))
      const { client } = await connect(at, { args, onElicit })
      expect(textOf(await client.callTool(PAY))).toContain(words)
      expect(at.witnessed()).toEqual([])
    }
  },
)

promise(
  ['SP-46', 'SP-25'],
  'what is not asked about goes straight through; what changed between two starts does not',
  async () => {
    const at = place('version: 1\nmcp_servers: [{ alias: bank, server_ref: x, approval: false }]\n')
    const args = ['--name', 'bank']
    const first = await connect(at, { args })
    expect(textOf(await first.client.callTool(PAY))).toBe('paid 5 to Lena')
    expect((await (await at.store()).list({})).approvals).toEqual([])
    await first.client.close()
    const second = await connect(at, { args, env: { CHANGED: 'yes' } })
    expect((await second.client.listTools()).tools.map(({ name }) => name)).not.toContain('pay')
    expect(textOf(await second.client.callTool(PAY))).toContain('held back')
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
  },
)

promise(['SP-16', 'SP-41'], 'where nobody can be asked at all, the call is refused', async () => {
  const at = place()
  const { client } = await connect(at, { args: ['--no-inbox'] })
  const result = await client.callTool(PAY)
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('nobody can be asked')
  expect(at.witnessed()).toEqual([])
  const { approvals } = await (await at.store()).list({ status: ['pending'] })
  expect(approvals).toEqual([])
})

promise(
  ['CS-MCP-9'],
  'a client that cancels takes its question back; one that ran out of time does not',
  async () => {
    const at = place()
    const { client } = await connect(at)
    const stop = new AbortController()
    const cancelled = client
      .callTool(PAY, undefined, { signal: stop.signal })
      .catch(() => 'cancelled')
    const { id } = await question(at)
    stop.abort('the user pressed Escape')
    expect(await cancelled).toBe('cancelled')
    const store = await at.store()
    await expect
      .poll(async () => (await store.get(id))?.status, { timeout: 5_000 })
      .toBe('withdrawn')
    await expect(client.callTool(PAY, undefined, { timeout: 1_500 })).rejects.toThrow(/timed out/i)
    await answer(at, 'approve')
    expect(at.witnessed()).toEqual([])
    expect(textOf(await client.callTool(PAY))).toBe('paid 5 to Lena')
  },
)
