import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect } from 'vitest'
import { recordsOf } from '../src/gate/audit/audit-records.ts'
import { vouchedBy } from '../src/gate/audit/audit-since.ts'
import {
  type AuditReport,
  type VerifyAuditOptions,
  verifyAudit,
} from '../src/gate/audit/audit-verify.ts'
import { writeCheckpoint } from '../src/gate/proof/checkpoint.ts'
import { openSigner } from '../src/gate/proof/keys.ts'
import { memoryKeys } from '../src/store/audit/key-folder.ts'
import { openPostgres } from '../src/store/postgres/open-store.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import { asked } from '../src/testing/store-cases/expect.ts'
import {
  BACKENDS,
  openLog,
  type Recorded,
  recorded,
  sha256,
  temporaryFolder,
  verifyDatabase,
} from './audit/record.ts'
import { keyLives } from './audit/stolen-key.ts'
import { TAMPERING, tamper } from './audit/tampering.ts'
import { countersign } from './cli/countersign.ts'
import { promise } from './support/promise.ts'

async function verifySince(
  of: Recorded,
  kept: readonly string[],
  known: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const log = await openLog(of)
  const vouching = await vouchedBy(log, kept, { hash: sha256 })
  await log.close()
  if (!vouching.ok) return { ok: false, problem: vouching.problem } as AuditReport
  const { heads: after } = vouching.vouched
  const rest = await openLog(of, { content: true, after })
  try {
    return await verifyAudit(() => recordsOf(rest, { at: 0, rows: true, after }), {
      ...known,
      hash: sha256,
      checkpoints: kept,
    })
  } finally {
    await rest.close()
  }
}

/** They touch what came before the checkpoint and nothing since: only a whole look finds them. */
const BEFORE = new Set([
  'who an entry is about',
  'an entry in the middle is removed',
  'the first entry is removed',
  'two entries change places',
  'an entry, with a hash that fits',
  'content is put under another approval',
  'an approval, to be used again, with a seal that fits',
  'the arguments that an approval is for',
  'an approval, put back to how it was once',
  'an approval removed',
  'an approval that nobody asked for',
])

describe.each(BACKENDS)('a record in %s', (backend) => {
  promise(
    ['CS-AUDIT-10'],
    `is verified from a kept checkpoint on, to the same ends: ${backend}`,
    async () => {
      const of = await recorded(backend)
      const [first = '', second = ''] = of.checkpoints
      const whole = await verifyDatabase(of)
      const since = await verifySince(of, [first])
      expect(since).toMatchObject({ ok: true, partial: true, checkpoints: 2, uncovered: 0 })
      expect(since.entries).toBeGreaterThan(10)
      expect(since.entries).toBeLessThan(whole.entries)
      expect(new Set(since.heads)).toEqual(new Set(whole.heads))
      expect(await verifySince(of, [second])).toMatchObject({ ok: true, entries: 0 })
      // Of two that were kept, the newer counts.
      expect(await verifySince(of, [first, second])).toMatchObject({ ok: true, entries: 0 })

      // What is written later is looked at, and it alone.
      const store = await (backend === 'sqlite' ? openSqlite(of.file) : openPostgres(of.db))
      await asked(store)
      await store.close()
      const { ok, entries, uncovered } = await verifySince(of, [second])
      expect([ok, uncovered]).toEqual([true, entries])
      expect(entries).toBeGreaterThanOrEqual(2)
    },
    240_000,
  )

  promise(
    ['CS-AUDIT-10'],
    `a checkpoint that is not this record’s vouches for nothing: ${backend}`,
    async () => {
      const of = await recorded(backend)
      const store = await openSqlite(path.join(temporaryFolder(), 'other.db'))
      const signer = await openSigner({ store, keys: memoryKeys() })
      await asked(store)
      const foreign = (await writeCheckpoint(store, signer))?.jws ?? ''
      await store.close()
      expect((await verifySince(of, [foreign])).problem?.code).toBe('checkpoint_key')
      const [header, payload] = (of.checkpoints[0] ?? '').split('.')
      const forged = `${header}.${payload}.${'A'.repeat(86)}`
      expect((await verifySince(of, [forged])).problem?.code).toBe('checkpoint')
      await tamper(of, ({ run }) => run('delete from checkpoints where n = 2'))
      expect((await verifySince(of, [of.checkpoints[1] ?? ''])).problem?.code).toBe(
        'checkpoint_missing',
      )
    },
    240_000,
  )
})

promise.each(
  ['CS-AUDIT-10'],
  'from a checkpoint on, what was tampered with since is found',
  TAMPERING.filter(([name]) => !BEFORE.has(name)),
  async (_, work, _code) => {
    const of = await recorded('sqlite')
    await tamper(of, work)
    expect((await verifySince(of, [of.checkpoints[0] ?? ''])).ok).toBe(false)
  },
)

promise(
  ['CS-AUDIT-10'],
  'from a checkpoint on, the entries that it names are there, with the hashes it names',
  async () => {
    const of = await recorded('sqlite')
    const [kept = ''] = of.checkpoints
    const payload = Buffer.from(kept.split('.')[1] ?? '', 'base64url').toString()
    const { heads } = JSON.parse(payload) as { heads: { writer: string; seq: number }[] }
    const [head] = heads
    const at = `where writer = '${head?.writer}' and seq = ${head?.seq}`
    await tamper(of, ({ run }) => run(`update events set body = replace(body, 'e', 'E') ${at}`))
    expect((await verifySince(of, [kept])).ok).toBe(false)
    await tamper(of, ({ run }) => run(`delete from events ${at}`))
    expect((await verifySince(of, [kept])).problem).toMatchObject({ code: 'cut_short' })
  },
)

promise.each(
  ['CS-AUDIT-10', 'CS-KEY-1'],
  'from a checkpoint on, a key that was revoked before it signs nothing that counts',
  BACKENDS.map((backend): [(typeof BACKENDS)[number]] => [backend]),
  async (backend) => {
    const of = await recorded(backend)
    const { kid, revoked } = await keyLives(of)
    const kept = revoked.flatMap((line) => {
      const { kind, jws } = JSON.parse(line)
      return kind === 'checkpoint' ? [jws as string] : []
    })
    // The revocation is before the last one that was kept, and the thief signed the one after it.
    expect((await verifySince(of, kept.slice(-1))).problem?.code).toBe('key_revoked')
    // The row that says so is in reach of a thief who writes to the database; what a reader kept is not.
    await tamper(of, ({ run }) => run("delete from records where kind = 'key-revocation'"))
    const known = { revoked: [kid] }
    expect((await verifySince(of, kept.slice(-1), known)).problem?.code).toBe('key_revoked')
    // Signed by the honest server since: the forged one is no longer the last.
    const store = await (backend === 'sqlite' ? openSqlite(of.file) : openPostgres(of.db))
    const signer = await openSigner({ store, keys: of.keys })
    await asked(store)
    await writeCheckpoint(store, signer)
    await store.close()
    expect((await verifySince(of, kept.slice(-1), known)).problem?.code).toBe('key_revoked')
    // What it signed before the revocation counts, here and there.
    expect((await verifySince(of, kept.slice(0, 1))).problem?.code).toBe('key_revoked')
  },
  240_000,
)

/** Of what changed since the checkpoint. */
const ROWS: [string, string][] = [
  ['an approval removed', 'delete from approvals where id = (select max(id) from approvals)'],
  [
    'an approval put back to be decided',
    `update approvals set status = 'pending', execution = null
     where id = (select max(approval) from claims)`,
  ],
  ['a vote removed', 'delete from votes where approval = (select max(approval) from votes)'],
  ['a claim removed', 'delete from claims where approval = (select max(approval) from claims)'],
  ['a grant that counts fewer uses', 'update grants set uses = 0 where uses > 0'],
  ['a use of a grant removed', 'delete from grant_uses'],
  ['a lock removed', "delete from records where kind = 'lock'"],
  ['a switch turned', `update records set value = '{"on":true}' where kind = 'switch'`],
]

promise.each(
  ['CS-AUDIT-10'],
  'from a checkpoint on, a row that changed since is compared',
  ROWS,
  async (_, sql) => {
    const of = await recorded('sqlite')
    await tamper(of, ({ run }) => run(sql))
    const { problem } = await verifySince(of, [of.checkpoints[0] ?? ''])
    expect(problem?.code).toMatch(/^row_/)
  },
)

promise(
  ['CS-AUDIT-10'],
  'the command says from where on it looked, and what it did not',
  async () => {
    const of = await recorded('sqlite')
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, 'kept'), `${of.checkpoints[0]}\n`)
    const verify = (...more: string[]) =>
      countersign(['audit', 'verify', '--since-checkpoint', 'kept', ...more], { cwd: folder })
    const shown = await verify('--db', of.db)
    expect(shown.stdout).toContain('The record is intact')
    expect(shown.stdout).toMatch(/From checkpoint 1 of tenant default on, which was signed 2\d{3}-/)
    expect(shown.stdout).toContain('rows that no later entry tells of, were not looked at')
    expect(shown.code).toBe(0)
    const file = await verify('--db', of.db, 'audit.jsonl')
    expect(file.stderr).toContain('reads a database')
    expect(file.code).toBe(2)
  },
)
