import assert from 'node:assert/strict'
import { recordsOf } from '../gate/audit/audit-records.ts'
import { type AuditReport, verifyAudit } from '../gate/audit/audit-verify.ts'
import { writeCheckpoint } from '../gate/proof/checkpoint.ts'
import { openSigner, publishedKeys } from '../gate/proof/keys.ts'
import { memoryKeys } from '../store/audit/key-folder.ts'
import type { Store } from '../store/store.ts'
import { SPENT_KEPT_MS } from '../store/vault.ts'
import { claiming, finishing } from './commands.ts'
import { approved, asked } from './store-cases/expect.ts'
import type { StoreCase } from './store-cases/store-case.ts'

async function verified(store: Store): Promise<AuditReport> {
  const log = await store.vault.log({ content: true })
  try {
    return await verifyAudit(() => recordsOf(log, { tenant: store.tenant, at: 0 }))
  } finally {
    await log.close()
  }
}

async function finished(store: Store): Promise<void> {
  const approval = await approved(store)
  const claimed = await store.apply(approval.id, claiming(approval))
  await store.apply(approval.id, finishing(claimed.approval))
}

const LATER = Date.UTC(2100, 0)

/** Keys, names that count once, and signed checkpoints. */
export const vaultCases: readonly StoreCase[] = [
  {
    name: 'lets a name be spent once, however many try at the same moment',
    async run({ open }) {
      const { vault } = await open()
      const tries = await Promise.all(Array.from({ length: 20 }, () => vault.spend('jti', LATER)))
      assert.equal(tries.filter(Boolean).length, 1)
      assert.equal(await vault.spend('jti', LATER), false)
      assert.equal(await vault.spend('another', LATER), true)
    },
  },
  {
    name: 'lets a name be spent once by two processes, and once by each tenant',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = await share?.(one)
      const tries = [one, two, one, two].map((store) => store?.vault.spend('jti', LATER))
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1)
      const other = await share?.(one, { tenant: `${one.tenant}-other` })
      assert.equal(await other?.vault.spend('jti', LATER), true)
    },
  },
  {
    name: 'never spends a name whose time is long over',
    async run({ open }) {
      const { vault, now } = await open()
      const time = await now()
      assert.equal(await vault.spend('recent', time - SPENT_KEPT_MS + 60_000), true)
      assert.equal(await vault.spend('old', time - SPENT_KEPT_MS - 60_000), false)
      assert.equal(await vault.spend('recent', time), false)
    },
  },
  {
    name: 'keeps every public key, and each of them once',
    async run({ open }) {
      const store = await open()
      const keys = memoryKeys()
      const first = await openSigner({ store, keys })
      const again = await openSigner({ store, keys })
      const rotated = await openSigner({ store, keys, rotate: true })
      assert.equal(again.key.kid, first.key.kid)
      assert.notEqual(rotated.key.kid, first.key.kid)
      const published = (await publishedKeys(store)).map(({ kid }) => kid)
      assert.deepEqual(published.sort(), [first.key.kid, rotated.key.kid].sort())
    },
  },
  {
    name: 'signs what moved, and nothing twice',
    async run({ open }) {
      const store = await open()
      const signer = await openSigner({ store, keys: memoryKeys() })
      assert.equal(await writeCheckpoint(store, signer), undefined)
      await asked(store)
      assert.equal((await writeCheckpoint(store, signer))?.n, 1)
      assert.equal(await writeCheckpoint(store, signer), undefined)
      await asked(store)
      assert.equal((await writeCheckpoint(store, signer))?.n, 2)
      const { ok, checkpoints, uncovered } = await verified(store)
      assert.deepEqual({ ok, checkpoints, uncovered }, { ok: true, checkpoints: 2, uncovered: 0 })
    },
  },
  {
    name: 'numbers checkpoints without gaps when two processes sign at once',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      const signers = await Promise.all(
        [one, two].map((store) => openSigner({ store, keys: memoryKeys() })),
      )
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([asked(one), asked(two)])
        await Promise.all(
          [one, two].map((store, index) => {
            const signer = signers[index]
            return signer && writeCheckpoint(store, signer)
          }),
        )
      }
      const { ok, problem, uncovered } = await verified(one)
      assert.deepEqual({ ok, problem, uncovered }, { ok: true, problem: undefined, uncovered: 0 })
    },
  },
  {
    name: 'keeps a record that verifies, also when its content is erased',
    async run({ open, pass }) {
      const store = await open()
      await finished(store)
      const signer = await openSigner({ store, keys: memoryKeys() })
      await writeCheckpoint(store, signer)
      const before = await verified(store)
      assert.equal(before.problem, undefined)
      assert.deepEqual(before.content, { checked: 3, absent: 0 })
      await pass(5)
      assert.equal(await store.erase(await store.now()), 3)
      const after = await verified(store)
      assert.equal(after.problem, undefined)
      assert.deepEqual(after.content, { checked: 0, absent: 3 })
      assert.deepEqual(after.heads, before.heads)
    },
  },
]
