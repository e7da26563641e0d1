import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, vi } from 'vitest'
import { writeCheckpoint } from '../src/gate/proof/checkpoint.ts'
import { mintCountersignature, newJti } from '../src/gate/proof/countersignature.ts'
import { audienceOf, checkCountersignature } from '../src/gate/proof/countersignature-check.ts'
import { openSigner, publishedKeys } from '../src/gate/proof/keys.ts'
import { revokeKey } from '../src/gate/proof/revocations.ts'
import { keyFolder, memoryKeys } from '../src/store/audit/key-folder.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { claiming } from '../src/testing/commands.ts'
import { approved } from '../src/testing/store-cases/expect.ts'
import { BACKENDS, recorded, temporaryFolder, verifyDatabase, verifyLines } from './audit/record.ts'
import { keyLives } from './audit/stolen-key.ts'
import { countersign } from './cli/countersign.ts'
import { python, whyNot } from './clients/python.ts'
import { openSqlite } from './stores/place.ts'
import { promise } from './support/promise.ts'

vi.setConfig({ testTimeout: 60_000 })

/** The verifier that the reference prints, and the one in Python. */
async function others(lines: readonly string[], keys?: readonly object[]) {
  const folder = temporaryFolder()
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/reference/audit.md'), 'utf8')
  const [, program = ''] = /```js\n(import \{ createHash[\s\S]*?)```/.exec(page) ?? []
  writeFileSync(path.join(folder, 'verifier.mjs'), program)
  writeFileSync(path.join(folder, 'audit.jsonl'), `${lines.join('\n')}\n`)
  const { spawnSync } = await import('node:child_process')
  const printed = spawnSync(process.execPath, ['verifier.mjs', 'audit.jsonl'], { cwd: folder })
  if (whyNot() !== undefined) return { printed: printed.status, python: undefined }
  const given = JSON.stringify({ records: [{ lines, ...(keys ? { keys } : {}) }] })
  const { stdout } = await python(['-m', 'tests.agree'], given)
  const [report] = JSON.parse(stdout).records as [{ ok: boolean; problem: { code: string } | null }]
  return { printed: printed.status, python: report.problem?.code ?? 'intact' }
}

promise.each(
  ['CS-KEY-1'],
  'a revoked key signs nothing that counts, and what it signed before stays good',
  BACKENDS.map((backend): [(typeof BACKENDS)[number]] => [backend]),
  async (backend) => {
    const of = await recorded(backend)
    const { kid, newKid, rotated, uncovered, revoked, forged } = await keyLives(of)
    for (const lines of [rotated, uncovered, revoked]) {
      expect(await verifyLines(lines)).toMatchObject({ ok: true, signedBy: [kid, newKid] })
    }
    expect((await verifyLines(revoked)).revoked).toEqual([kid])
    for (const report of [await verifyLines(forged), await verifyDatabase(of)]) {
      expect(report.problem).toMatchObject({ code: 'key_revoked' })
    }
    const python = whyNot() === undefined
    const said = await Promise.all([revoked, forged].map((lines) => others(lines)))
    expect(said).toEqual([
      { printed: 0, python: python ? 'intact' : undefined },
      { printed: 1, python: python ? 'key_revoked' : undefined },
    ])
  },
)

promise(
  ['CS-KEY-1'],
  'a record without a revocation that its reader knows of is refused',
  async () => {
    const of = await recorded('sqlite')
    const { kid, rotated, revoked } = await keyLives(of)
    const keys = rotated.flatMap((line) => {
      const { kind, jwk } = JSON.parse(line)
      return kind === 'key' ? [jwk] : []
    })
    const known = { keys, revoked: [kid] }
    expect((await verifyLines(revoked, known)).ok).toBe(true)
    expect((await verifyLines(rotated, known)).problem?.code).toBe('key_revoked')
    if (whyNot() !== undefined) return
    const marked = keys.map((jwk) => (jwk.kid === kid ? { ...jwk, revoked: {} } : jwk))
    expect((await others(revoked, marked)).python).toBe('intact')
    expect((await others(rotated, marked)).python).toBe('key_revoked')
  },
)

promise(
  ['CS-KEY-1', 'CS-KEY-2'],
  'a countersignature of a revoked key counts as absent, and the signer goes on with another',
  async () => {
    const store = memoryStore()
    const signer = await openSigner({ store, keys: memoryKeys() })
    const { kid } = signer.key
    const approval = await approved(store)
    const claimed = (await store.apply(approval.id, claiming(approval))).approval
    const { tool, server, kind } = claimed.call
    const text = '{"amount":50}'
    const audience = audienceOf(store)
    const mint = () =>
      mintCountersignature({ signer, approval: claimed, jti: newJti(), text, hop: { audience } })
    const call = { kind, tool, server, args: { amount: 50 }, principal: claimed.call.principal }
    const check = (token: string) => checkCountersignature(token, { store, call, audience })
    const before = await mint()
    expect(await check(before)).toMatchObject({ ok: true, kid })
    await revokeKey(store, kid)
    expect(await check(before)).toEqual({ ok: false, problem: 'unknown_key' })
    const [after] = await Promise.all([mint(), mint()])
    expect(await check(after)).toMatchObject({ ok: true, kid: signer.key.kid })
    expect(signer.key.kid).not.toBe(kid)
    expect(await publishedKeys(store)).toEqual([signer.key])
    expect(await writeCheckpoint(store, signer)).toMatchObject({ kid: signer.key.kid })
    expect(await revokeKey(store, kid)).toBe(false)
    await expect(revokeKey(store, 'another')).rejects.toMatchObject({ code: 'not_found' })
  },
)

promise(
  ['CS-KEY-1'],
  'keys are listed, rotated and revoked by commands, and reports follow',
  async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'approvals.db')
    const store = await openSqlite(file)
    const signer = await openSigner({ store, keys: keyFolder(path.join(folder, 'keys')) })
    await approved(store)
    await writeCheckpoint(store, signer)
    await store.close()
    const run = (...args: string[]) =>
      countersign([...args, '--db', `sqlite:${file}`], { cwd: folder })
    const sign = (out: string) => run('audit', 'report', 'approvals', '--out', out, '--sign')
    const check = async (out: string) => (await run('audit', 'check-report', out)).code
    const { kid } = signer.key
    expect((await sign('a.html')).code).toBe(0)
    expect((await run('keys', 'rotate')).stdout).toMatch(/signs from the next start/)
    expect(await check('a.html')).toBe(0)
    const listed = JSON.parse((await run('keys', 'list', '--json')).stdout).keys
    expect(listed).toMatchObject([
      { kid, here: true },
      { kid: expect.any(String), here: true },
    ])
    const newKid = listed[1].kid
    expect((await run('keys', 'revoke', kid)).stdout).toContain(`signed by ${newKid} now`)
    expect(await check('a.html')).toBe(1)
    expect((await sign('b.html')).code).toBe(0)
    expect(await check('b.html')).toBe(0)
    const { stdout: jwks } = await run('keys', 'list', '--jwks')
    writeFileSync(path.join(folder, 'keys.json'), jwks)
    const verified = await run('audit', 'verify', '--keys', 'keys.json', '--json')
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, revoked: [kid] })
    expect((await run('audit', 'check-report', 'a.html', '--keys', 'keys.json')).code).toBe(1)
    expect((await run('keys', 'revoke', 'nonsense')).code).not.toBe(0)
    const types = (await run('audit', 'export')).stdout
    for (const type of ['key.rotated', 'key.revoked']) expect(types).toContain(`"type":"${type}"`)
  },
)
