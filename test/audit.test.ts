import { describe, expect, test } from 'vitest'
import { writeCheckpoint } from '../src/gate/proof/checkpoint.ts'
import { openSigner } from '../src/gate/proof/keys.ts'
import { memoryKeys } from '../src/store/audit/key-folder.ts'
import { openPostgres } from '../src/store/postgres/open-store.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import {
  BACKENDS,
  breakInto,
  exported,
  recorded,
  rewrite,
  verifyDatabase,
  verifyLines,
} from './audit/record.ts'
import { append, rewriteRow, TAMPERING, tamper } from './audit/tampering.ts'
import { promise } from './support/promise.ts'

describe.each(BACKENDS)('a record in %s', (backend) => {
  promise(['CS-AUDIT-1'], `verifies when nobody touched it: ${backend}`, async () => {
    const of = await recorded(backend)
    const report = await verifyDatabase(of)
    expect(report).toMatchObject({
      ok: true,
      writers: 2,
      checkpoints: 2,
      uncovered: 0,
      signedBy: [of.signer.key.kid],
      content: { absent: 0 },
    })
    expect(report.entries).toBeGreaterThan(10)
    expect(report.content.checked).toBeGreaterThan(5)
  })

  promise.each(['CS-AUDIT-1'], 'tampering is found', TAMPERING, async (_, work, code) => {
    const of = await recorded(backend)
    await tamper(of, work)
    const { ok, problem } = await verifyDatabase(of)
    expect({ ok, code: problem?.code, message: problem?.message }).toMatchObject({
      ok: false,
      code,
    })
    expect(problem?.hint).toMatch(/\.$/)
    // An export repeats what it finds. Columns beside the text, and rows, are not part of it.
    const lines = await verifyLines(await exported(of, { content: true }))
    expect(lines.ok).toBe(code === 'columns' || code.startsWith('row_'))
  })

  promise(['CS-AUDIT-7'], `B11-04: a row that was resealed is found: ${backend}`, async () => {
    const of = await recorded(backend)
    await tamper(of, (scene) => rewriteRow(scene, ({ execution: _, ...rest }) => rest))
    expect((await verifyDatabase(of)).problem).toMatchObject({
      code: 'row_changed',
      place: expect.stringMatching(/^approval /),
    })
  })

  test('an entry added after the last checkpoint is not vouched for', async () => {
    const of = await recorded(backend)
    await tamper(of, (scene) =>
      append(scene, (body) => {
        const event = body.event as object
        return { ...body, event: { ...event, command: 'invented' } }
      }),
    )
    expect(await verifyDatabase(of)).toMatchObject({ ok: true, uncovered: 1 })
  })

  promise(['CS-AUDIT-4'], `a record that is rewritten and signed anew: ${backend}`, async () => {
    const of = await recorded(backend)
    await tamper(of, async (scene) => {
      await scene.run('delete from checkpoints')
      await scene.run('delete from covered')
      await scene.run('delete from keys')
      await rewrite(scene, scene.two, (body) => ({
        ...body,
        event: JSON.parse(JSON.stringify(body.event).replaceAll('"ana"', '"eve"')),
      }))
    })
    const store = await (backend === 'sqlite' ? openSqlite(of.file) : openPostgres(of.db))
    const signer = await openSigner({ store, keys: memoryKeys() })
    await writeCheckpoint(store, signer)
    await store.close()
    // Alone it says nothing: the key is the intruder's own.
    expect(await verifyDatabase(of)).toMatchObject({ ok: true, signedBy: [signer.key.kid] })
    expect((await verifyDatabase(of, { keys: [of.signer.key] })).problem?.code).toBe(
      'checkpoint_key',
    )
    const kept = await verifyDatabase(of, { checkpoints: [of.checkpoints[1] ?? ''] })
    expect(kept.problem?.code).toBe('checkpoint_key')
    const both = { keys: [of.signer.key, signer.key], checkpoints: [of.checkpoints[1] ?? ''] }
    expect((await verifyDatabase(of, both)).problem?.code).toBe('checkpoint_missing')
  })

  promise(['CS-AUDIT-4'], `a record that is cut back to an older end: ${backend}`, async () => {
    const of = await recorded(backend)
    await tamper(of, async ({ run, two, one, entries }) => {
      const { heads } = JSON.parse(
        Buffer.from(of.checkpoints[0]?.split('.')[1] ?? '', 'base64url').toString(),
      )
      expect(entries.length).toBeGreaterThan(heads[0].seq)
      await run(`delete from events where writer = '${two}' or (
        writer = '${one}' and seq > ${heads[0].seq})`)
      await run('delete from checkpoints where n = 2')
    })
    // The approvals of what was cut off give it away, unless they were removed as well.
    expect((await verifyDatabase(of)).problem?.code).toBe('row_unknown')
    await breakInto(of, async ({ run }) => {
      await run(
        'delete from approvals where id not in (select approval from events where approval is not null)',
      )
      for (const table of ['votes', 'claims', 'grant_uses']) {
        await run(`delete from ${table} where approval not in (select id from approvals)`)
      }
      await run('delete from grants')
      await run('delete from records')
    })
    expect(await verifyDatabase(of)).toMatchObject({ ok: true })
    const { problem } = await verifyDatabase(of, { checkpoints: [of.checkpoints[1] ?? ''] })
    expect(problem?.code).toBe('checkpoint_missing')
  })
})
