import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { BANK, connect, place, textOf } from './gateway.ts'

const SLOW = path.resolve(import.meta.dirname, 'slow-server.ts')
const SOON = { timeout: 20_000, interval: 50 }

function several(file: string, slow: string) {
  return place(`version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: "\${WITNESS}" }, approval: false }
  - { alias: slow, command: ${process.execPath}, args: [${SLOW}, ${file}, ${slow}], approval: false }
`)
}

promise.each(
  ['CS-MCP-43'],
  'one server that hangs delays no other, and is listed when it comes',
  [['initialize'], ['tools/list'], ['prompts/list']],
  async (hanging) => {
    const file = path.join(place().cwd, 'go')
    const { client, received } = await connect(several(file, hanging), { command: [] })
    await client.listPrompts()
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names()).toContain('bank_look')
    expect((await names()).includes('slow_crawl')).toBe(hanging === 'prompts/list')
    const looked = await client.callTool({ name: 'bank_look', arguments: { what: 'x' } })
    expect(textOf(looked)).toContain('saw x')
    writeFileSync(file, '')
    await vi.waitFor(async () => expect(await names()).toContain('slow_crawl'), SOON)
    if (hanging !== 'prompts/list') {
      expect(received).toContainEqual(
        expect.objectContaining({ method: 'notifications/tools/list_changed' }),
      )
    }
  },
)

promise(['CS-MCP-43'], 'a call to a server that still starts waits for it alone', async () => {
  const file = path.join(place().cwd, 'go')
  const { client } = await connect(several(file, 'initialize'), { command: [] })
  const crawling = client.callTool({ name: 'slow_crawl', arguments: {} })
  await client.callTool({ name: 'bank_look', arguments: { what: 'x' } })
  writeFileSync(file, '')
  expect(textOf(await crawling)).toBe('there')
})

promise.each(
  ['CS-MCP-44'],
  'a single server that is broken looks broken',
  [
    ['it does not exist', ['/nowhere/at-all'], /could not be started/],
    ['it ends at once', [process.execPath, '-e', ''], /ended \(exit code 0\)|closed its output/],
    [
      'it refuses initialize',
      [process.execPath, SLOW, '/never', 'initialize'],
      /licence has expired/,
    ],
  ] as [string, string[], RegExp][],
  async (_, command, why) => {
    await expect(connect(place(), { command })).rejects.toThrow(why)
  },
)

promise(
  ['CS-MCP-44', 'CS-MCP-59'],
  'a single server that needs long holds up the list of tools and not initialize',
  async () => {
    const { cwd } = place()
    const [go, end] = [path.join(cwd, 'go'), path.join(cwd, 'end')]
    const dying = `setInterval(() => require('fs').existsSync(${JSON.stringify(end)}) && process.exit(3), 20)`
    const [slow, broken] = await Promise.all([
      connect(place(), { command: [process.execPath, SLOW, go, 'initialize'] }),
      connect(place(), { command: [process.execPath, '-e', dying] }),
    ])
    expect(slow.client.getServerVersion()).toMatchObject({ name: 'countersign' })
    expect(slow.client.getInstructions()).toContain('is still starting')
    const listing = slow.client.listTools()
    writeFileSync(go, '')
    expect((await listing).tools.map(({ name }) => name)).toContain('crawl')
    // One that never comes is an error with the reason, not an empty list.
    const never = broken.client.listTools()
    writeFileSync(end, '')
    await expect(never).rejects.toThrow(/exit code 3|closed its output/)
  },
)

promise(['CS-MCP-44'], 'a single server that cannot list is answered as it answers', async () => {
  const command = [process.execPath, SLOW, '/never', 'tools/list']
  const { client } = await connect(place(), { command })
  await expect(client.listTools()).rejects.toMatchObject({
    code: -32_050,
    message: expect.stringContaining('the licence has expired'),
  })
})

promise(['CS-MCP-44'], 'of several servers, those that are broken are named', async () => {
  const at = place(`version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: "\${WITNESS}" }, approval: false }
  - { alias: gone, command: /nowhere/at-all }
  - { alias: mute, command: ${process.execPath}, args: [${SLOW}, /never, tools/list] }
`)
  const { client } = await connect(at, { command: [] })
  expect(client.getInstructions()).toMatch(/Server gone cannot be used now: .*could not be started/)
  const { tools, _meta } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('bank_look')
  expect(_meta?.['countersign/problems']).toEqual({
    gone: expect.stringContaining('could not be started'),
    mute: expect.stringContaining('the licence has expired'),
  })
  const said = textOf(await client.callTool({ name: 'countersign_status', arguments: {} }))
  expect(said).toContain('Server bank is connected.')
  expect(said).toMatch(/Server gone cannot be used now: .*could not be started/)
  expect(said).toMatch(/Server mute cannot be used now: .*the licence has expired/)
})

promise.each(
  ['CS-MCP-43', 'CS-MCP-44'],
  'a server over HTTP delays no other and is named where it',
  [
    ['never answers', undefined, 'is still starting'],
    ['answers with what is no message', '{"hello":1}', 'did not start'],
  ] as [string, string | undefined, string][],
  async (_, said, why) => {
    const mute = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json')
      if (said !== undefined) response.end(said)
    })
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    onTestFinished(() => {
      mute.closeAllConnections()
      mute.close()
    })
    const { port } = mute.address() as AddressInfo
    const at = place(`version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: "\${WITNESS}" }, approval: false }
  - { alias: mute, url: "http://127.0.0.1:${port}/mcp" }
`)
    const { client } = await connect(at, { command: [] })
    const { tools, _meta } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('bank_look')
    expect(_meta?.['countersign/problems']).toEqual({ mute: expect.stringContaining(why) })
    const looked = await client.callTool({ name: 'bank_look', arguments: { what: 'x' } })
    expect(textOf(looked)).toContain('saw x')
  },
)

promise(['CS-MCP-44'], 'where every server is broken, so is the list', async () => {
  const at = place(`version: 1
mcp_servers:
  - { alias: gone, command: /nowhere/at-all }
  - { alias: mute, command: ${process.execPath}, args: [${SLOW}, /never, tools/list] }
`)
  const { client } = await connect(at, { command: [] })
  await expect(client.listTools()).rejects.toThrow(
    /gone could not be started.*licence has expired/s,
  )
})
