import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, vi } from 'vitest'
import { fileSink } from '../../src/cli/stream/file-sink.ts'
import { writeCheckpoint } from '../../src/gate/proof/checkpoint.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { approved } from '../../src/testing/store-cases/expect.ts'
import { breakInto, exported, recorded } from '../audit/record.ts'
import { BIN, cleanEnv, countersign } from '../cli/countersign.ts'
import { newFolder, openPostgres, openSqlite } from '../stores/place.ts'
import { promise } from '../support/promise.ts'
import { selfSigned } from '../support/self-signed.ts'

vi.setConfig({ testTimeout: 120_000 })

type Recorded = Awaited<ReturnType<typeof recorded>>
const BACKENDS: [Recorded['backend']][] = [['sqlite'], ['postgres']]

interface Streaming {
  readonly of: Recorded
  readonly folder: string
  readonly file: string
  args(...more: string[]): string[]
}

async function streaming(backend: Recorded['backend'] = 'sqlite'): Promise<Streaming> {
  const of = await recorded(backend)
  const folder = path.dirname((await recorded('sqlite')).file)
  const file = path.join(folder, 'audit.jsonl')
  const cursor = ['--cursor', path.join(folder, 'cursor.json')]
  const args = (...more: string[]) => ['audit', 'stream', '--db', of.db, ...cursor, ...more]
  return { of, folder, file, args }
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
const expected = async (of: Recorded) =>
  (await exported(of)).filter((line) => /^{"kind":"(entry|checkpoint)"/.test(line)).sort()

async function more(of: Recorded, calls: number): Promise<void> {
  const store = await (of.backend === 'sqlite' ? openSqlite(of.file) : openPostgres(of.db))
  for (let n = 0; n < calls; n += 1) await approved(store)
  await writeCheckpoint(store, await openSigner({ store, keys: memoryKeys() }))
  await store.close()
}

promise.each(
  ['CS-STREAM-1', 'CS-STREAM-2'],
  'a file gets every entry once, and is a witness of the record',
  BACKENDS,
  async (backend) => {
    const { of, folder, file, args } = await streaming(backend)
    const run = () => countersign(args('--to', `file:${file}`, '--once'), { cwd: folder })
    expect(await run()).toMatchObject({ code: 0, stderr: '' })
    expect(linesOf(file).sort()).toEqual(await expected(of))
    await more(of, 3)
    expect((await run()).code).toBe(0)
    expect((await run()).code).toBe(0)
    expect(linesOf(file).sort()).toEqual(await expected(of))
    expect(readFileSync(file, 'utf8')).not.toContain('"salt"')
    expect(statSync(file).mode & 0o077).toBe(0)
    const verify = ['audit', 'verify', '--db', of.db, '--checkpoint', file]
    expect((await countersign(verify, { cwd: folder })).code).toBe(0)
    // The record is cut back to where its first checkpoint was the last one.
    await breakInto(of, ({ run }) => run('delete from checkpoints where n > 1'))
    const { code, stdout } = await countersign(verify, { cwd: folder })
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('checkpoint_missing'),
    })
  },
)

promise(['CS-STREAM-1'], 'a stream that is killed again and again loses nothing', async () => {
  const { of, folder, file, args } = await streaming()
  await more(of, 250)
  let child: ChildProcess | undefined
  onTestFinished(() => void child?.kill('SIGKILL'))
  for (let kills = 0; kills < 4; kills += 1) {
    const before = existsSync(file) ? statSync(file).size : 0
    child = spawn(process.execPath, [BIN, ...args('--to', `file:${file}`)], {
      cwd: folder,
      env: cleanEnv(),
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child?.once('close', resolve))
    const grown = () => existsSync(file) && statSync(file).size > before
    if (kills < 2) await vi.waitFor(() => expect(grown()).toBe(true), 30_000)
    child.kill('SIGKILL')
    await ended
    // As a kill in the middle of a write leaves it.
    if (existsSync(file)) writeFileSync(file, '{"kind":"entry","hash":"12', { flag: 'a' })
    await more(of, 5)
  }
  const last = await countersign(args('--to', `file:${file}`, '--once'), { cwd: folder })
  expect(last).toMatchObject({ code: 0, stderr: '' })
  expect([...new Set(linesOf(file))].sort()).toEqual(await expected(of))
})

promise(['CS-STREAM-1'], 'a file that grows is moved aside, and nothing is removed', async () => {
  const { of, folder, file, args } = await streaming()
  for (let n = 0; n < 3; n += 1) {
    const to = ['--to', `file:${file}`, '--rotate', '0.001', '--once']
    expect((await countersign(args(...to), { cwd: folder })).code).toBe(0)
    await more(of, 2)
  }
  const parts = readdirSync(folder).filter((name) => name.startsWith('audit.jsonl'))
  expect(parts.length).toBeGreaterThan(2)
  const to = ['--to', `file:${path.join(folder, 'audit.jsonl')}`, '--once']
  expect((await countersign(args(...to), { cwd: folder })).code).toBe(0)
  const all = readdirSync(folder).filter((name) => name.startsWith('audit.jsonl'))
  const lines = all.flatMap((name) => linesOf(path.join(folder, name)))
  expect(lines.sort()).toEqual(await expected(of))
})

promise(
  ['CS-STREAM-1'],
  'two files that are moved aside at one moment keep a name each',
  async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const folder = newFolder()
    const sink = fileSink(path.join(folder, 'audit.jsonl'), 1)
    for (const text of ['one', 'two', 'three', 'four']) await sink([{ text, type: '-', at: 0 }])
    const parts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))
    expect(parts.sort()).toEqual(['four\n', 'one\n', 'three\n', 'two\n'])
  },
)

promise.each(
  ['CS-STREAM-2'],
  'a stream stops where what it delivered was',
  [
    ['changed', "update events set hash = 'f' || substr(hash, 2)"],
    ['removed', 'delete from events where seq > 1'],
  ],
  async (_, sql) => {
    const { of, folder, file, args } = await streaming()
    const run = () => countersign(args('--to', `file:${file}`, '--once'), { cwd: folder })
    expect((await run()).code).toBe(0)
    const before = readFileSync(file, 'utf8')
    await breakInto(of, ({ run }) => run(sql))
    const { code, stderr } = await run()
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/audit verify/),
    })
    expect(readFileSync(file, 'utf8')).toBe(before)
  },
)

/** Messages of RFC 5424 as a collector takes them apart. */
function messages(bytes: Buffer): string[] {
  const found: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, space))
    found.push(bytes.toString('utf8', space + 1, space + 1 + length))
    at = space + 1 + length
  }
  return found
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

promise.each(
  ['CS-STREAM-1', 'CS-STREAM-3'],
  'a syslog collector gets every entry, also one that it lost at first',
  [['tcp'], ['tls']],
  async (kind) => {
    const { of, folder, args } = await streaming()
    const got: Buffer[] = []
    let connections = 0
    const take = (socket: Socket) => {
      connections += 1
      socket.on('error', () => {})
      // The first is gone before it has read all.
      if (connections === 1) return void socket.destroy()
      socket.on('data', (chunk) => got.push(chunk))
    }
    const { key, cert } = selfSigned()
    writeFileSync(path.join(folder, 'ca.pem'), cert)
    const server = kind === 'tls' ? createTlsServer({ key, cert }, take) : createServer(take)
    const port = await listening(server)
    const to = ['--to', `syslog+${kind}://127.0.0.1:${port}`]
    const ca = kind === 'tls' ? ['--ca', 'ca.pem'] : []
    const once = () => countersign(args(...to, ...ca, '--once'), { cwd: folder })
    expect((await once()).code).not.toBe(0)
    expect((await once()).code).toBe(0)
    const all = messages(Buffer.concat(got))
    const bodies = all.map((message) => message.split('\uFEFF')[1] ?? '')
    expect(bodies.sort()).toEqual(await expected(of))
    for (const message of all) {
      expect(message).toMatch(
        /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ countersign - [a-z.]+ - \uFEFF{/,
      )
    }
    if (kind !== 'tls') return
    writeFileSync(path.join(folder, 'ca.pem'), selfSigned().cert)
    await more(of, 1)
    const before = got.length
    expect((await once()).code).not.toBe(0)
    expect(got.length).toBe(before)
  },
)

promise(['CS-STREAM-3'], 'calls go on while a collector takes nothing', async () => {
  const { of, folder, args } = await streaming()
  const port = await listening(createServer({ pauseOnConnect: true }, () => {}))
  const to = ['--to', `syslog+tcp://127.0.0.1:${port}`, '--every', '1s']
  const child = spawn(process.execPath, [BIN, ...args(...to)], { cwd: folder, env: cleanEnv() })
  onTestFinished(() => void child.kill('SIGKILL'))
  const store = await openSqlite(of.file)
  for (let n = 0; n < 20; n += 1) expect((await approved(store)).status).toBe('approved')
  await store.close()
  expect(existsSync(path.join(folder, 'cursor.json'))).toBe(false)
})
