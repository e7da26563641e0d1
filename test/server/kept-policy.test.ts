import { expect, test } from 'vitest'
import { combinePolicy } from '../../src/policy/combine.ts'
import { loadOwner } from '../../src/policy/load.ts'
import type { PolicyState } from '../../src/server/active-policy.ts'
import { keeping, readKept } from '../../src/server/kept-policy.ts'
import { policyInForce } from '../../src/server/policy-in-force.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { promise } from '../support/promise.ts'

const ASKS = 'version: 1\ntools: { pay: { approval: true } }\n'
const FILES = [
  { role: 'owner', file: 'countersign.yaml', text: ASKS },
  // Longer than a record, with characters of every width.
  { role: 'governance', file: 'company.yaml', text: `# ${'é\u0000"😀 '.repeat(20_000)}\n` },
] as const

async function kept() {
  const store = memoryStore()
  await store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'policy.loaded', by: { system: 'operator' }, facts: { policy: 'a'.repeat(64) } },
    changes: await keeping('a'.repeat(64), FILES),
  })
  return store
}

test('texts of any length and any characters come back as they were', async () => {
  const found = await readKept((await kept()).records)
  expect(found?.name).toBe('a'.repeat(64))
  expect(await found?.files()).toEqual(FILES)
})

promise(['CS-SERVE-1'], 'a text that was changed in the database is not in force', async () => {
  const { records } = await kept()
  const { records: texts } = await records.list('policy-text')
  const own = texts.find(({ value }) => value === ASKS)
  if (!own) throw new Error('not kept')
  await records.put('policy-text', own.id, ASKS.replace('true', 'false'))
  await expect((await readKept(records))?.files()).rejects.toMatchObject({ code: 'store_damaged' })
})

test('files that another version gave another name are in force, and on record', async () => {
  const store = memoryStore()
  const files = { running: { policy: combinePolicy({}) }, sources: FILES } as unknown as PolicyState
  const parse = () => files
  const choose = () => policyInForce({ store, files, parse, apply: false })
  expect(await choose()).toMatchObject({ isFile: true })
  const kept = await store.records.get('policy', 'active')
  await store.records.put('policy', 'active', { ...(kept?.value as object), name: 'b'.repeat(64) })
  expect(await choose()).toMatchObject({ isFile: true })
  expect(await choose()).toMatchObject({ isFile: true })
  const { entries } = await store.eventsSince('start')
  const types = entries.map(({ event }) => event.type).filter((type) => type.startsWith('policy.'))
  expect(types).toEqual(['policy.loaded', 'policy.applied'])
})

test('of several servers that start first, one puts its policy into force', async () => {
  const store = memoryStore()
  const own = (approval: string) => {
    const text = `version: 1\ntools: { pay: { approval: ${approval} } }\n`
    const loaded = loadOwner({ file: 'countersign.yaml', text })
    if (!loaded.ok) throw new Error('not a policy')
    const policy = combinePolicy({ owner: loaded.document })
    const sources = [{ role: 'owner', file: 'countersign.yaml', text }]
    return { running: { policy }, sources } as unknown as PolicyState
  }
  const states = [own('true'), own('false'), own('true')]
  const byText = (text: string | undefined) =>
    states.find(({ sources }) => sources[0]?.text === text) as PolicyState
  const chosen = await Promise.all(
    states.map((files) =>
      policyInForce({ store, files, parse: ([file]) => byText(file?.text), apply: false }),
    ),
  )
  expect(new Set(chosen.map(({ state }) => state.sources[0]?.text)).size).toBe(1)
})
