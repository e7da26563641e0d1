import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { startWorker } from '../../../test/support/workerd.ts'
import { keyFolder, memoryKeys } from '../../store/audit/key-folder.ts'
import { memoryStore } from '../../store/memory/index.ts'
import { asking, claiming, deciding } from '../../testing/commands.ts'
import { openCheckpoint, startCheckpoints } from './checkpoint.ts'
import { mintCountersignature, newJti } from './countersignature.ts'
import { verifyCountersignature } from './countersignature-verify.ts'
import { openSigner, publishedKeys, readKeySet } from './keys.ts'

function folder(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'countersign-keys-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  return path.join(place, 'deep', 'keys')
}

test('a key is made on the first start, for its owner only, and used ever after', async () => {
  const place = folder()
  const store = memoryStore()
  const first = await openSigner({ store, keys: keyFolder(place) })
  const again = await openSigner({ store, keys: keyFolder(place) })
  expect(again.key).toEqual(first.key)
  expect(readdirSync(place)).toEqual([`${first.key.kid}.key.json`])
  const file = path.join(place, `${first.key.kid}.key.json`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(place).mode & 0o777).toBe(0o700)
  const { d } = JSON.parse(readFileSync(file, 'utf8'))
  expect(JSON.stringify(await store.vault.keys())).not.toContain(d)
})

test('two processes that start at once make a key each, and both are published', async () => {
  const place = folder()
  const store = memoryStore()
  const keys = keyFolder(place)
  const signers = await Promise.all([openSigner({ store, keys }), openSigner({ store, keys })])
  const published = (await publishedKeys(store)).map(({ kid }) => kid)
  for (const { key } of signers) expect(published).toContain(key.kid)
})

test.each([
  ['others may read it', (file: string) => chmodSync(file, 0o644), 'others may read'],
  ['it is damaged', (file: string) => writeFileSync(file, '{"kty":"OKP"}'), 'damaged'],
  ['it is cut off', (file: string) => writeFileSync(file, '{"kty'), 'damaged'],
])('a private key is refused when %s', async (_, spoil, message) => {
  const place = folder()
  const store = memoryStore()
  const { key } = await openSigner({ store, keys: keyFolder(place) })
  spoil(path.join(place, `${key.kid}.key.json`))
  const refused = openSigner({ store, keys: keyFolder(place) })
  await expect(refused).rejects.toMatchObject({ code: 'key_unusable' })
  await expect(refused).rejects.toThrow(message)
})

test('a key never replaces another', async () => {
  const keys = keyFolder(folder())
  await keys.add('one', 'a')
  await expect(keys.add('one', 'b')).rejects.toThrow()
  expect(await keys.list()).toEqual(['a'])
})

test('a key set is read with the keys it has, by their own names', async () => {
  const { key } = await openSigner({ store: memoryStore(), keys: memoryKeys() })
  const rsa = { kty: 'RSA', n: 'x', e: 'AQAB' }
  expect(await readKeySet({ keys: [rsa, { ...key, kid: 'mine' }, null] })).toEqual([key])
  expect(await readKeySet(key)).toEqual([key])
  expect(await readKeySet('nonsense')).toEqual([])
})

test('checkpoints are signed again and again, and a last time at the end', async () => {
  const store = memoryStore()
  const signer = await openSigner({ store, keys: memoryKeys() })
  const checkpoints = startCheckpoints({ store, signer, every: 5 })
  const request = asking()
  await store.apply(request.id, request)
  while ((await store.vault.lastCheckpoint()) === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const another = asking()
  await store.apply(another.id, another)
  await checkpoints.stop()
  const last = await store.vault.lastCheckpoint()
  const opened = await openCheckpoint(last?.jws, [signer.key])
  expect(opened).toMatchObject({ ok: true, checkpoint: { heads: [{ seq: 3 }] } })
  expect(await store.vault.moved()).toEqual([])
})

promise(
  ['CS-PROOF-5'],
  'a Worker verifies as Node does',
  async () => {
    const store = memoryStore()
    const signer = await openSigner({ store, keys: memoryKeys() })
    const request = asking()
    const { approval } = await store.apply(request.id, request)
    const approved = (await store.apply(approval.id, deciding(approval))).approval
    const claimed = (await store.apply(approval.id, claiming(approved))).approval
    const token = await mintCountersignature({
      signer,
      approval: claimed,
      jti: newJti(),
      text: '{"amount":50}',
      hop: { audience: 'worker' },
    })
    const options = {
      keys: [signer.key],
      call: { tool: 'pay', args: { amount: 50 } },
      audience: 'worker',
      now: Date.now(),
    }
    const entry = path.resolve(
      import.meta.dirname,
      '../../../test/support/workers/countersignature.ts',
    )
    const worker = await startWorker(entry)
    onTestFinished(worker.stop)
    const ask = async (body: { token: unknown; options: typeof options }) => {
      const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(body) })
      return response.json()
    }
    expect(await ask({ token, options })).toEqual(await verifyCountersignature(token, options))
    expect(await ask({ token, options })).toMatchObject({ ok: true })
    const other = { ...options, call: { tool: 'pay', args: { amount: 51 } } }
    expect(await ask({ token, options: other })).toEqual({ ok: false, problem: 'other_arguments' })
    const forged = `${token.slice(0, -4)}AAAA`
    expect(await ask({ token: forged, options })).toEqual({ ok: false, problem: 'bad_signature' })
  },
  60_000,
)
