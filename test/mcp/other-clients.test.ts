import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished } from 'vitest'
import { BIN, cleanEnv } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { answer, BANK, chosen, closed, connect, place, shownIn, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }

promise.each(
  ['CS-MCP-12'],
  'a client of the newer SDK on a pipe',
  [
    ['of the older era', undefined],
    ['of the newer era', '2026-07-28'],
  ] as [string, string | undefined][],
  async (_, pin) => {
    const at = place()
    const asked: string[] = []
    const client = new ModernClient(
      { name: 'newer', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        ...(pin === undefined ? {} : { versionNegotiation: { mode: { pin } } }),
      },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return asked.length === 1 ? chosen('approve') : closed('decline')
    })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [BIN, 'mcp', '--', process.execPath, BANK],
        cwd: at.cwd,
        env: {
          ...(cleanEnv() as Record<string, string>),
          HOME: at.cwd,
          WITNESS: path.join(at.cwd, 'witness'),
        },
        stderr: 'ignore',
      }),
    )
    onTestFinished(() => client.close())
    expect(client.getProtocolEra()).toBe(pin === undefined ? 'legacy' : 'modern')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pay')
    expect(textOf(await client.callTool(PAY))).toBe('paid 5 to Lena')
    expect(asked).toHaveLength(1)
    expect(shownIn(asked[0] ?? '', 'to')).toBe('"Lena"')
    const refused = await client.callTool({ name: 'pay', arguments: { to: 'Lena', amount: 6 } })
    expect(textOf(refused)).toContain('denied by a person')
    expect(at.witnessed()).toEqual(['pay 5 Lena'])
  },
)

promise(
  ['CS-MCP-26'],
  'one who serves the inbox dies, and another one serves it while its question waits',
  async () => {
    const at = place()
    const first = await connect(at)
    const second = await connect(at)
    const served = () =>
      JSON.parse(readFileSync(path.join(at.cwd, '.countersign/server.json'), 'utf8')) as {
        url: string
        pid: number
      }
    const { url, pid } = served()
    // A client is answered before the address is printed.
    await expect.poll(() => first.stderr()).toContain(url)
    await expect.poll(() => second.stderr()).toContain(url)
    const paying = second.client.callTool(PAY)
    await expect
      .poll(async () => (await (await at.store()).list({ status: ['pending'] })).approvals.length)
      .toBe(1)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => served().pid, { timeout: 20_000 }).not.toBe(pid)
    expect((await fetch(new URL('/healthz', served().url))).ok).toBe(true)
    await answer(at, 'approve')
    expect(textOf(await paying)).toBe('paid 5 to Lena')
  },
)
