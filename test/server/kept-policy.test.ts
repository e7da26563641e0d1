import { expect, onTestFinished, test, vi } from 'vitest'
import { CountersignError } from '../../src/base/errors.ts'
import { sha256 } from '../../src/base/json/digest.ts'
import { policyName } from '../../src/gate/declared/policy-answer.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import type { ActivePolicy, PolicyState } from '../../src/server/policy/active-policy.ts'
import { keeping, readKept, textDigests } from '../../src/server/policy/kept-policy.ts'
import { followPolicy, policyInForce } from '../../src/server/policy/policy-in-force.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Records } from '../../src/store/records.ts'
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

test('a policy that an earlier version recorded without its texts is not in force, and says what to do', async () => {
  const store = await kept()
  const files = { running: { policy: combinePolicy({}) }, sources: FILES } as unknown as PolicyState
  const choose = (apply: boolean) => policyInForce({ store, files, parse: () => files, apply })
  await expect(choose(false)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining('by an earlier version'),
    hint: expect.stringContaining('--apply-policy'),
  })
  await choose(true)
  expect(await choose(false)).toMatchObject({ isFile: true })
})

test('files that another version gave another name are in force, and on record', async () => {
  const store = memoryStore()
  const files = { running: { policy: combinePolicy({}) }, sources: FILES } as unknown as PolicyState
  const parse = () => files
  const choose = () => policyInForce({ store, files, parse, apply: false })
  expect(await choose()).toMatchObject({ isFile: true })
  const kept = await store.records.get('policy', 'active')
  const name = 'b'.repeat(64)
  await store.amend({
    commandId: crypto.randomUUID(),
    event: {
      type: 'policy.applied',
      by: { system: 'operator' },
      facts: { policy: name, texts: await textDigests(FILES) },
    },
    changes: [{ kind: 'policy', id: 'active', value: { ...(kept?.value as object), name } }],
  })
  expect(await choose()).toMatchObject({ isFile: true })
  expect(await choose()).toMatchObject({ isFile: true })
  const { entries } = await store.eventsSince('start')
  const types = entries.map(({ event }) => event.type).filter((type) => type.startsWith('policy.'))
  expect(types).toEqual(['policy.loaded', 'policy.applied', 'policy.applied'])
})

const OTHER = ASKS.replace('true', 'false')

/** Where somebody who can write the database can change what is in force. */
const BY_SQL: readonly [string, (records: Records) => Promise<unknown>][] = [
  [
    'another text, under its own digest',
    async (records) => {
      const digest = await sha256(OTHER)
      const active = await records.get('policy', 'active')
      const file = { role: 'owner', file: 'countersign.yaml', digest, parts: 1 }
      await records.put('policy-text', `${digest}/0`, OTHER)
      await records.put('policy', 'active', { ...(active?.value as object), files: [file] })
    },
  ],
  [
    'the file of the owner as one of governance',
    async (records) => {
      const active = await records.get('policy', 'active')
      const text = JSON.stringify(active?.value).replaceAll('"owner"', '"governance"')
      await records.put('policy', 'active', JSON.parse(text))
    },
  ],
  [
    'the name of the file as it is now',
    async (records) => {
      const active = await records.get('policy', 'active')
      const name = await policyName(stateOf(OTHER).running.policy)
      await records.put('policy', 'active', { ...(active?.value as object), name })
    },
  ],
  ['nothing, as before the first start', (records) => records.remove('policy', 'active')],
]

function stateOf(text: string): PolicyState {
  const loaded = loadOwner({ file: 'countersign.yaml', text })
  if (!loaded.ok) throw new Error('not a policy')
  const policy = combinePolicy({ owner: loaded.document })
  const sources = [{ role: 'owner', file: 'countersign.yaml', text }]
  return { running: { policy }, sources } as unknown as PolicyState
}

promise.each(
  ['CS-SERVE-11'],
  'B11-04: a server does not start on a policy that was put into the database',
  BY_SQL,
  async (_, change) => {
    const store = memoryStore()
    const parse = ([file]: PolicyState['sources']) => stateOf(file?.text ?? '')
    await policyInForce({ store, files: stateOf(ASKS), parse, apply: false })
    await change(store.records)
    const files = stateOf(OTHER)
    await expect(policyInForce({ store, files, parse, apply: false })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining('policy'),
      hint: expect.stringMatching(/audit verify.*--apply-policy/s),
    })
    // Whoever starts it can say that the files count: on record, and from then on.
    await policyInForce({ store, files, parse, apply: true })
    const again = await policyInForce({ store, files, parse, apply: false })
    expect(again.state.sources[0]?.text).toBe(OTHER)
  },
)

promise(['CS-SERVE-11'], 'a running server lets nothing pass by such a policy', async () => {
  const store = memoryStore()
  const parse = ([file]: PolicyState['sources']) => stateOf(file?.text ?? '')
  const files = stateOf(ASKS)
  await policyInForce({ store, files, parse, apply: false })
  const adopted: unknown[] = []
  const active = { state: () => files, adopt: (next: unknown) => adopted.push(next) }
  followPolicy(store, active as unknown as ActivePolicy, parse)
  await BY_SQL[0]?.[1](store.records)
  await store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'switch.set', by: { system: 'operator' } },
    changes: [{ kind: 'switch', id: 'bank', value: { on: true } }],
  })
  await expect.poll(() => adopted).toMatchObject([{ code: 'store_damaged' }])
})

promise.each(
  ['CS-SERVE-11'],
  'a look at the policy that fails in passing is made again, and puts nothing out of force',
  [
    ['the database is away', new CountersignError('store_unavailable', 'away')],
    ['another process holds it', new CountersignError('store_busy', 'busy')],
    ['an error of its driver', new Error('Connection terminated')],
  ] as [string, Error][],
  async (_, error) => {
    const store = memoryStore()
    const parse = ([file]: PolicyState['sources']) => stateOf(file?.text ?? '')
    const files = stateOf(ASKS)
    await policyInForce({ store, files, parse, apply: false })
    const get = vi.fn(store.records.get).mockRejectedValueOnce(error)
    const failing = { ...store, records: { ...store.records, get } }
    const adopted: unknown[] = []
    const active = { state: () => files, adopt: (next: unknown) => adopted.push(next) }
    onTestFinished(followPolicy(failing, active as unknown as ActivePolicy, parse))
    // Another server puts it into force, and says so once.
    await policyInForce({ store, files: stateOf(OTHER), parse, apply: true })
    await expect
      .poll(() => adopted, { timeout: 5_000 })
      .toMatchObject([{ sources: [{ text: OTHER }] }])
  },
)

promise(
  ['CS-SERVE-11'],
  'a policy that cannot be read here leaves none in force, whatever its reader throws',
  async () => {
    const store = memoryStore()
    const files = stateOf(ASKS)
    const parse = () => {
      throw new TypeError('a mistake of ours')
    }
    await policyInForce({ store, files, parse, apply: false })
    const adopted: unknown[] = []
    const active = { state: () => files, adopt: (next: unknown) => adopted.push(next) }
    onTestFinished(followPolicy(store, active as unknown as ActivePolicy, parse))
    await policyInForce({ store, files: stateOf(OTHER), parse, apply: true })
    await expect.poll(() => adopted).toMatchObject([{ code: 'policy_invalid' }])
  },
)

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
