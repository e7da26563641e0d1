import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { modernResult } from '../../src/gateway/downstream/modern-result.ts'
import { createCatalog } from '../../src/gateway/upstream/catalog.ts'
import { createPins } from '../../src/gateway/upstream/pins.ts'
import type { Upstream } from '../../src/gateway/upstream/upstream.ts'
import { specOf, type UpstreamSpec } from '../../src/gateway/upstream/upstream-spec.ts'
import { memoryStore } from '../../src/store/memory/index.ts'

function server(alias: string, url: string): UpstreamSpec {
  const spec = specOf(alias, { url }, {})
  if (!spec) throw new Error('no address')
  return spec
}

const pay = (description: string) => ({ tool: 'pay', definition: { description } })

test('B6-03: an alias that leads to another address keeps none of its pins', async () => {
  const pins = createPins({ store: memoryStore(), isAsked: async () => false })
  const before = server('bank', 'https://bank.example.com/mcp')
  const after = server('bank', 'https://other.example.com/mcp')
  expect(await pins.admit(before, [pay('Pays.')])).toEqual([undefined])
  expect(await pins.admit(before, [pay('Pays twice.')])).toEqual([expect.stringMatching(/not the/)])
  // A server of its own, with its own first listing; and what the first one said still stands.
  expect(await pins.admit(after, [pay('Pays twice.')])).toEqual([undefined])
  expect(await pins.admit(after, [pay('Pays.')])).toEqual([expect.stringMatching(/not the/)])
  expect(await pins.admit(before, [pay('Pays.')])).toEqual([undefined])
  expect((await pins.list()).map(({ tool }) => tool)).toEqual(['pay', 'pay'])
})

function listing(alias: string, ...names: string[]): Upstream {
  const request = async (): Promise<JsonObject> => ({ tools: names.map((name) => ({ name })) })
  const spec = server(alias, `https://${alias.replaceAll('_', '-')}.example.com/`)
  return { spec, capabilities: { tools: {} }, request } as unknown as Upstream
}

function catalogOf(...upstreams: Upstream[]) {
  const logged: string[] = []
  const catalog = createCatalog({
    connections: { ready: async () => upstreams } as never,
    pins: createPins({ store: memoryStore(), isAsked: async () => true }),
    nameOf: (alias, tool) => `${alias}_${tool}`,
    reserved: ['countersign_wait'],
    log: (line) => logged.push(line),
  })
  return { catalog, logged }
}

test('B6-02: of two tools that clients would call by one name neither is offered', async () => {
  const { catalog, logged } = catalogOf(
    listing('files', 'a_read', 'write'),
    listing('files_a', 'read'),
    listing('countersign', 'wait'),
  )
  expect((await catalog.tools()).map(({ name }) => name)).toEqual(['files_write'])
  expect(await catalog.find('files_a_read')).toBeUndefined()
  expect(await catalog.find('countersign_wait')).toBeUndefined()
  expect(logged.join('\n')).toMatch(/two tools are called files_a_read; neither is offered/)
})

test('B6-01: a listed name that is not plain is left out', async () => {
  const odd = ['pay ', 'p\u0430y', 'pay\u200b', '', 'pay\n', 'a'.repeat(129), 'pay/now']
  const { catalog, logged } = catalogOf(listing('bank', 'pay', 'Pay', ...odd))
  // In other case it is another tool, with rules of its own.
  expect((await catalog.tools()).map(({ tool }) => tool)).toEqual(['pay', 'Pay'])
  expect(logged).toHaveLength(odd.length)
})

test('B6-10: what no server listed is not found', async () => {
  const { catalog } = catalogOf(listing('bank', 'pay'))
  for (const name of ['bank_wipe', 'pay', 'bank_PAY', 'toString', '__proto__', '']) {
    expect(await catalog.find(name), name).toBeUndefined()
  }
  expect(await catalog.find('bank_pay')).toBeDefined()
})

test('B6-09: lists and resources are for one client, whatever a server says about keeping them', () => {
  const kept = { ttlMs: 60_000, cacheScope: 'public' }
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/read']) {
    expect(modernResult(method, { ...kept, items: [] }), method).toEqual({
      items: [],
      ttlMs: 0,
      cacheScope: 'private',
      resultType: 'complete',
    })
  }
  expect(modernResult('tools/call', { content: [] })).not.toHaveProperty('ttlMs')
})
