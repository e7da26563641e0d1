import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { CONTENT, client, kept, open, shelf, URI } from './reads-world.ts'
import { signedIn } from './signed-in.ts'

promise(
  ['CS-MCP-77', 'CS-MCP-3'],
  'a read that asks gives its content after a yes, unchanged, and the next one asks again',
  async () => {
    const at = await shelf()
    const one = await client(at)
    for (const times of [1, 2]) {
      const reading = kept(one.readResource({ uri: URI }))
      const [approval] = await open(at)
      expect(approval?.call).toMatchObject({ tool: 'resources/read', server: 'shelf' })
      expect(at.heard()).toHaveLength(times - 1)
      await at.answer('approve')
      expect(await reading).toEqual(CONTENT)
      expect(at.heard()).toHaveLength(times)
    }
    expect(at.heard()[0]).toBe(`resources/read ${JSON.stringify({ uri: URI })}`)
  },
)

promise(['CS-MCP-77'], 'a prompt that asks is shown with its arguments', async () => {
  const at = await shelf()
  const one = await client(at)
  const getting = kept(one.getPrompt({ name: 'shelf_hello', arguments: { whom: 'Ana' } }))
  const [approval] = await open(at)
  const vi = await signedIn(at, 'vi@example.com', ['viewer', 'approver'])
  const card = await vi.get<{ arguments: string }>(`/v1/approvals/${approval?.id}`)
  expect(card).toMatchObject({ tool: 'prompts/get', server: 'shelf' })
  expect(JSON.parse(card.arguments)).toEqual({ name: 'hello', arguments: { whom: 'Ana' } })
  await at.answer('approve')
  expect((await getting).messages).toHaveLength(1)
  expect(at.heard()).toEqual(['prompts/get {"arguments":{"whom":"Ana"},"name":"hello"}'])
})

promise(['CS-MCP-77'], 'a denied read is an error, and nothing reaches the server', async () => {
  const at = await shelf()
  const one = await client(at)
  for (const ask of [
    () => one.readResource({ uri: URI }),
    () => one.subscribeResource({ uri: URI }),
    () => one.getPrompt({ name: 'shelf_hello' }),
  ]) {
    const asking = kept(ask())
    await at.answer('deny')
    await expect(asking).rejects.toMatchObject({
      code: -32_003,
      data: { 'countersign/code': 'denied' },
    })
  }
  expect(at.heard()).toEqual([])
})

promise(
  ['CS-MCP-77'],
  'a read that no person answers in time is pending, and the same read uses the yes',
  async () => {
    const at = await shelf({ hold: 300 })
    const one = await client(at)
    await expect(one.readResource({ uri: URI })).rejects.toMatchObject({
      code: -32_003,
      data: { 'countersign/status': 'pending' },
    })
    const [approval] = await open(at)
    expect(at.heard()).toEqual([])
    // Another agent asks anew: the yes is not its own.
    await at.answer('approve')
    const other = await client(at, 'b')
    await expect(other.readResource({ uri: URI })).rejects.toThrow('pending')
    expect(at.heard()).toEqual([])
    expect(await one.readResource({ uri: URI })).toEqual(CONTENT)
    const { approvals } = await at.store.list({})
    expect(approvals).toHaveLength(2)
    expect((await at.store.get(approval?.id ?? ''))?.execution?.state).toBe('succeeded')
  },
)

promise(['CS-MCP-77'], 'an expired question reads nothing', async () => {
  const at = await shelf({ rest: 'defaults: { decide_by: 1s }\n' })
  const one = await client(at)
  await expect(one.readResource({ uri: URI })).rejects.toMatchObject({
    code: -32_003,
    data: { 'countersign/code': 'expired' },
  })
  expect(at.heard()).toEqual([])
})

promise(['CS-MCP-77'], 'a client that cancels or leaves withdraws its read', async () => {
  const at = await shelf()
  const one = await client(at)
  const stop = new AbortController()
  const reading = kept(one.readResource({ uri: URI }, { signal: stop.signal }))
  const [first] = await open(at)
  stop.abort('the user pressed stop')
  await expect(reading).rejects.toThrow()
  const status = async (id = '') => (await at.store.get(id))?.status
  await expect.poll(() => status(first?.id)).toBe('withdrawn')
  // One that ends its session wants nothing any more.
  const leaving = await client(at, 'b')
  void kept(leaving.readResource({ uri: URI }))
  const [second] = await open(at)
  await (leaving.transport as unknown as StreamableHTTPClientTransport).terminateSession()
  await expect.poll(() => status(second?.id)).toBe('withdrawn')
  expect(at.heard()).toEqual([])
})
