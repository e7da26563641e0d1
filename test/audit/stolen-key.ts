import { sha256 } from '../../src/base/json/digest.ts'
import { writeCheckpoint } from '../../src/gate/proof/checkpoint.ts'
import { openSigner, privateSigner, publishedKeys } from '../../src/gate/proof/keys.ts'
import { revokeKey } from '../../src/gate/proof/revocations.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { locking } from '../../src/testing/store-cases/lock.ts'
import { exported, type Recorded } from './record.ts'

/** The same record at four moments of a key's life, as exported files. */
export async function keyLives(of: Recorded) {
  const store = await (of.backend === 'sqlite' ? openSqlite(of.file) : openPostgres(of.db))
  const { kid } = of.signer.key
  const old = await privateSigner(of.keys, await publishedKeys(store))
  if (!old) throw new Error('the record has no key')
  const signer = await openSigner({ store, keys: of.keys, rotate: true })
  await store.amend(locking({ agent: 'one' }))
  await writeCheckpoint(store, signer)
  const rotated = await exported(of)
  await revokeKey(store, kid)
  const uncovered = await exported(of)
  // So that the revocation is not the end of its chain, which every look begins with.
  await store.amend(locking({ agent: 'later' }))
  await writeCheckpoint(store, signer)
  const revoked = await exported(of)
  // The thief of the private key can write to the database as well.
  await store.amend(locking({ agent: 'two' }))
  const last = await store.vault.lastCheckpoint()
  const heads = await store.vault.moved()
  const { n, at } = { n: (last?.n ?? 0) + 1, at: await store.now() }
  const { database } = store.vault
  const prev = await sha256(last?.jws ?? '')
  const v = 'countersign.checkpoint.v1'
  const payload = { v, database, tenant: store.tenant, n, prev, at }
  const jws = await old.sign('countersign-checkpoint+jwt', {
    ...payload,
    heads: heads.map((head) => ({ ...head })),
  })
  await store.vault.addCheckpoint({ n, at, kid, jws, heads })
  const forged = await exported(of)
  await store.close()
  return { kid, newKid: signer.key.kid, rotated, uncovered, revoked, forged }
}
