import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, vi } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK, textOf } from './gateway.ts'
import { gateway } from './http-gateway.ts'

promise(
  ['CS-MCP-32'],
  'a server runs once for each client, as often as it may, and silent sessions make room',
  async () => {
    let ahead = 0
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
    onTestFinished(() => void vi.restoreAllMocks())
    const file = path.join(folder(), 'pids')
    const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: bank, command: sh, args: [-c, 'echo $$ >> "$PIDS"; exec "$0" "$1"', ${process.execPath}, ${BANK}], env: { PIDS: ${file}, WITNESS: ${file}.seen, POLITE: "yes" }, approval: false }\n`,
      { processes: 3 },
    )
    const headers = await at.agent('a')
    const connected = async (name: string) => {
      const client = new Client({ name, version: '1' })
      const transport = new StreamableHTTPClientTransport(at.url, { requestInit: { headers } })
      await client.connect(transport as Parameters<Client['connect']>[0])
      onTestFinished(() => client.close())
      return client
    }
    const look = (client: Client, what: string) =>
      client.callTool({ name: 'bank_look', arguments: { what } }).then(textOf, String)

    const [one, two] = [await connected('one'), await connected('two')]
    expect(await look(one, 'a')).toBe('saw a with nothing')
    expect(await look(two, 'b')).toBe('saw b with nothing')
    expect(new Set(pids()).size).toBe(2)
    const three = await connected('three')
    expect(await look(three, 'c')).toMatch(
      /Unknown tool: bank_look; this token has 2 of the 3 processes of server bank/,
    )
    expect(pids()).toHaveLength(2)

    // The first one goes without a word; the second one is silent, and still there.
    await one.close()
    ahead += 4 * 60_000
    expect(await look(three, 'd')).toContain('this token has 2 of the 3')
    ahead += 2 * 60_000
    expect(await look(three, 'e')).toBe('saw e with nothing')
    expect(pids()).toHaveLength(3)
    expect(isThere(Number(pids()[0]))).toBe(false)
    expect(await look(two, 'f')).toBe('saw f with nothing')
  },
)

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
