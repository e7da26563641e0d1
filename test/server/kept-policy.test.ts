import { expect, test } from 'vitest'
import { keeping, readKept } from '../../src/server/kept-policy.ts'
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
