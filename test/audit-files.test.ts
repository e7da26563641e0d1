import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import {
  BACKENDS,
  exported,
  recorded,
  sha256,
  temporaryFolder,
  verifyDatabase,
  verifyLines,
} from './audit/record.ts'
import { append, DAMAGE, kindOf, tamper } from './audit/tampering.ts'
import { countersign } from './cli/countersign.ts'
import { freshDatabase } from './support/postgres.ts'
import { promise } from './support/promise.ts'

describe.each(BACKENDS)('an export of %s', (backend) => {
  promise(['CS-AUDIT-2', 'CS-AUDIT-3'], `verifies by itself: ${backend}`, async () => {
    const of = await recorded(backend)
    const keys = [of.signer.key]
    const whole = await verifyLines(await exported(of, { content: true }), { keys })
    expect(whole).toMatchObject({ ok: true, writers: 2, checkpoints: 2, uncovered: 0 })
    expect(whole.content.absent).toBe(0)
    const bare = await verifyLines(await exported(of), { keys, checkpoints: of.checkpoints })
    expect(bare).toMatchObject({ ok: true, content: { checked: 0 } })
    expect(bare.heads).toEqual(whole.heads)
  })

  test('a part of it verifies as a part', async () => {
    const of = await recorded(backend)
    const all = await exported(of)
    const times = all.filter((line) => kindOf(line) === 'entry').map((line) => JSON.parse(line))
    const since = times.at(-3)?.body.event.at
    const some = await exported(of, { since })
    const report = await verifyLines(some)
    expect(report).toMatchObject({ ok: true, partial: true })
    expect(report.entries).toBeLessThanOrEqual(times.length)
    expect(await verifyLines(await exported(of, { since: 9e14 }))).toMatchObject({
      ok: true,
      entries: 0,
    })
    const tenant = await verifyLines(await exported(of, { tenant: 'default' }))
    expect(tenant).toMatchObject({ ok: true, partial: true, writers: 2 })
    const nobody = await verifyLines(await exported(of, { tenant: 'nobody' }))
    expect(nobody).toMatchObject({ ok: true, entries: 0 })
  })
})

test('a file of more commands than are held at once is read again, and a repeated one is found', async () => {
  const of = await recorded('sqlite')
  const lines = await exported(of)
  expect(await verifyLines(lines, { commandsAtOnce: 2 })).toMatchObject({ ok: true })
  await tamper(of, async (scene) => {
    await scene.run('drop index events_by_approval')
    await append(scene, (body) => body)
  })
  const twice = await exported(of)
  for (const commandsAtOnce of [2, 5, undefined]) {
    const { problem } = await verifyLines(twice, { commandsAtOnce })
    expect(problem?.code).toBe('repeated_command')
  }
})

promise.each(['CS-AUDIT-2'], 'a damaged file is refused', DAMAGE, async (_, damage, code) => {
  const of = await recorded('sqlite')
  const lines = damage(await exported(of))
  const options = { keys: [of.signer.key], checkpoints: of.checkpoints.slice(1) }
  expect((await verifyLines(lines, options)).problem?.code).toBe(code)
})

promise(
  ['CS-AUDIT-1'],
  'a changed bit anywhere in an entry or a checkpoint is found',
  async () => {
    const of = await recorded('sqlite')
    const lines = await exported(of, { content: true })
    const keys = [of.signer.key]
    const missed: string[] = []
    // One line of each shape: a beginning, a request with its content, the newest checkpoint.
    for (const part of ['"chain.started"', '"requested"', '"n":2,']) {
      const index = lines.findIndex((line) => line.includes(part))
      const line = lines[index] ?? ''
      for (let at = 0; at < line.length; at += 1) {
        // The bit goes round: all seven of every byte would say the same and take minutes.
        const code = line.charCodeAt(at) ^ (1 << (at % 7))
        const changed = line.slice(0, at) + String.fromCharCode(code) + line.slice(at + 1)
        const { ok } = await verifyLines(lines.with(index, changed), { keys })
        if (ok) missed.push(`${part} at ${at}: ${changed.slice(at - 10, at + 10)}`)
      }
    }
    expect(missed).toEqual([])
  },
  60_000,
)

function verifier(folder: string): string {
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/reference/audit.md'), 'utf8')
  const [, code = ''] = /```js\n(import \{ createHash[\s\S]*?)```/.exec(page) ?? []
  const file = path.join(folder, 'verifier.mjs')
  writeFileSync(file, code)
  return file
}

promise(['CS-AUDIT-2'], 'the verifier in the documentation agrees with ours', async () => {
  const of = await recorded('sqlite')
  const folder = temporaryFolder()
  const program = verifier(folder)
  const file = path.join(folder, 'audit.jsonl')
  const run = (lines: readonly string[], ...trusted: string[]) => {
    writeFileSync(file, `${lines.join('\n')}\n`)
    const ran = spawnSync(process.execPath, [program, file, ...trusted], { encoding: 'utf8' })
    return { code: ran.status, said: ran.stdout + ran.stderr }
  }
  const lines = await exported(of, { content: true })
  const entries = lines.filter((line) => kindOf(line) === 'entry').length
  expect(run(lines)).toEqual({ code: 0, said: `${entries} entries are intact\n` })
  expect(run(lines, of.signer.key.kid).code).toBe(0)
  expect(run(lines, 'another-key')).toEqual({ code: 1, said: 'forged checkpoint\n' })
  expect(run(lines.map((line) => line.replace('biller', 'killer'))).said).toMatch(/was changed/)
  expect(run(lines.map((line) => line.replace('"{\\"amount', '"{\\"amounT'))).said).toMatch(
    /arguments was changed/,
  )
  expect(run(lines.slice(0, -1)).said).toBe('the file was cut off\n')
  expect(run(lines.filter((line) => !line.includes('"seq":4,'))).said).toMatch(/does not follow/)
})

promise(['CS-AUDIT-5'], 'verifying a copy leaves it as it is', async () => {
  const of = await recorded('sqlite')
  const before = { hash: sha256(readFileSync(of.file, 'latin1')), at: statSync(of.file).mtimeMs }
  expect((await verifyDatabase(of)).ok).toBe(true)
  const folder = path.dirname(of.file)
  const cli = await countersign(['audit', 'verify', '--db', of.db], { cwd: folder })
  expect(cli.code).toBe(0)
  const after = { hash: sha256(readFileSync(of.file, 'latin1')), at: statSync(of.file).mtimeMs }
  expect(after).toEqual(before)
})

describe.each(BACKENDS)('countersign audit on %s', (backend) => {
  test('exports to a file that it verifies, with the keys you name', async () => {
    const of = await recorded(backend)
    const cwd = temporaryFolder()
    const { code, stdout, stderr } = await countersign(
      ['audit', 'export', '--db', of.db, '--content', '--out', 'audit.jsonl', '--json'],
      { cwd },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { entries } = JSON.parse(stdout)
    expect(statSync(path.join(cwd, 'audit.jsonl')).mode & 0o777).toBe(0o600)
    writeFileSync(path.join(cwd, 'jwks.json'), JSON.stringify({ keys: [of.signer.key] }))
    const verify = ['audit', 'verify', 'audit.jsonl', '--keys', 'jwks.json', '--checkpoint']
    const good = await countersign([...verify, 'audit.jsonl', '--json'], { cwd })
    expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, entries, uncovered: 0 })
    const again = await countersign(['audit', 'export', '--db', of.db, '--out', 'audit.jsonl'], {
      cwd,
    })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('audit.jsonl cannot be written: it exists already')
    const text = readFileSync(path.join(cwd, 'audit.jsonl'), 'utf8')
    writeFileSync(path.join(cwd, 'bad.jsonl'), text.replace('biller', 'killer'))
    const bad = await countersign(['audit', 'verify', 'bad.jsonl'], { cwd })
    expect(bad.code).toBe(1)
    expect(bad.stdout).toMatch(/^hash: line \d+\n {2}its text does not give its hash\n/)
    expect(readdirSync(cwd).sort()).toEqual(['audit.jsonl', 'bad.jsonl', 'jwks.json'])
  })

  test('the name of an export never reaches a terminal raw', async () => {
    const of = await recorded(backend)
    const words = ['audit', 'export', '--db', of.db, '--out', '\u001b]0;owned\u0007\u202elnosj']
    const cwd = temporaryFolder()
    const written = await countersign(words, { cwd })
    expect(written.stdout).toMatch(/ in ‹U\+001B›\]0;owned‹U\+0007›‹U\+202E›lnosj\n$/)
    const again = await countersign(words, { cwd })
    expect(again.stderr).toContain('‹U+001B›]0;owned‹U+0007›‹U+202E›lnosj cannot be written')
  })

  test('writes to standard output, and looks where COUNTERSIGN_DB says', async () => {
    const of = await recorded(backend)
    const env = { COUNTERSIGN_DB: of.db }
    const { code, stdout } = await countersign(['audit', 'export'], { cwd: temporaryFolder(), env })
    expect(code).toBe(0)
    expect((await verifyLines(stdout.trimEnd().split('\n'))).ok).toBe(true)
    const verified = await countersign(['audit', 'verify'], { cwd: temporaryFolder(), env })
    expect(verified.stdout).toContain('The record is intact')
  })
})

test.each([
  [
    'a database that is not there',
    ['verify', '--db', 'sqlite:nowhere.db'],
    7,
    /^store_unavailable: there is no database/,
  ],
  ['no database', ['verify', '--db', 'mysql://x'], 2, /^usage: --db is not understood/],
  [
    'a file that is not there',
    ['verify', 'nowhere.jsonl'],
    2,
    /^usage: nowhere.jsonl cannot be read/,
  ],
  ['keys that are none', ['verify', 'x', '--keys', 'x'], 2, /^usage: x is not JSON/],
  ['another program’s file', ['verify', '--db', 'sqlite:x'], 7, /^store_\w+: /],
  ['a time that is none', ['export', '--since', 'soon'], 2, /^usage: --since soon is not a time/],
])('%s is refused', async (_, args, exit, message) => {
  const cwd = temporaryFolder()
  writeFileSync(path.join(cwd, 'x'), 'not a database, and not JSON')
  const { code, stderr } = await countersign(['audit', ...args], { cwd, env: { HOME: cwd } })
  expect(stderr).toMatch(message)
  expect(code).toBe(exit)
})

/** Another process on the same database; it spends a name when it is told one. */
function spender(db: string) {
  const program = path.join(import.meta.dirname, 'audit/spender.ts')
  const child = spawn(process.execPath, [program, db], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    ready: () => lines.next(),
    tell: (jti: string) => void child.stdin.write(`${jti}\n`),
    answer: async () => (await lines.next()).value === 'true',
    stop: () => child.stdin.end(),
  }
}

describe.each(BACKENDS)('on %s', (backend) => {
  promise(
    ['CS-PROOF-2'],
    `two processes race for one name: one wins, each time (${backend})`,
    async () => {
      const file = path.join(temporaryFolder(), 'race.db')
      if (backend === 'sqlite') await (await openSqlite(file)).close()
      const db = backend === 'sqlite' ? file : await freshDatabase()
      const racers = [spender(db), spender(db)]
      await Promise.all(racers.map(({ ready }) => ready()))
      for (let round = 0; round < 25; round += 1) {
        for (const { tell } of racers) tell(`jti-${round}`)
        const won = await Promise.all(racers.map(({ answer }) => answer()))
        expect(won.filter(Boolean)).toHaveLength(1)
      }
      for (const { stop } of racers) stop()
    },
  )
})
