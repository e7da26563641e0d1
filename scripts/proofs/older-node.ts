/**
 * The packed package on the oldest Nodes we name: everything but SQLite on 22.13, whose SQLite can
 * lose commits and is refused with that reason; SQLite, server and commands on 22.23.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from '../tool.ts'

const OLDEST = '22.13.0'
const OLDEST_WITH_SQLITE = '22.23.0'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-older-node-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

function npm(args: readonly string[], cwd: string): void {
  const done = spawnSync('npm', [...args], { cwd, shell: process.platform === 'win32' })
  assert.equal(done.status, 0, String(done.stderr))
}

const PROGRAM = `
import { createGate, parsePolicy } from 'countersign'
import { memoryStore } from 'countersign/memory'
import { sqliteStore } from 'countersign/sqlite'
import { decideNext } from 'countersign/testing'
import { remoteGate } from 'countersign/client'
const text = 'version: 1\\ntools: { pay: { approval: true } }\\n'
const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
if (typeof remoteGate !== 'function') throw new Error('no client')
for (const open of [() => memoryStore(), () => sqliteStore('program.db')]) {
  try {
    const store = await open()
    const gate = createGate({ policy, store, agent: 'bot' })
    const paying = gate.run({ tool: 'pay', args: { amount: 5 } }, ({ amount }) => amount)
    await decideNext(gate, 'approve')
    const { status, result } = await paying
    console.log(store.name, status, result)
    await gate.close()
    await store.close()
  } catch (error) {
    console.log(error.code ?? error.stack)
  }
}
`

npm(['pack', '--pack-destination', folder], root)
const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
assert.ok(tarball)

function nodeOf(version: string): string {
  const place = path.join(folder, version)
  npm(
    [
      'install',
      '--no-save',
      '--prefix',
      place,
      `node-${process.platform}-${process.arch}@${version}`,
    ],
    folder,
  )
  return path.join(place, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
}

const app = path.join(folder, 'app')
mkdirSync(app)
writeFileSync(path.join(app, 'package.json'), '{"private":true,"type":"module"}')
writeFileSync(path.join(app, 'program.mjs'), PROGRAM)
npm(['install', path.join(folder, tarball)], app)
const bin = path.join(app, 'node_modules', 'countersign', 'bin', 'countersign.js')

function output(node: string, args: readonly string[]): string {
  return execFileSync(node, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: app,
    encoding: 'utf8',
  })
}

async function serves(node: string): Promise<boolean> {
  const args = ['--disable-warning=ExperimentalWarning', bin, 'start', '--db', 'sqlite:served.db']
  const server = spawn(node, [...args, '--port', '0'], { cwd: app })
  try {
    for await (const chunk of server.stdout) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk)) ?? []
      if (url) return (await fetch(`${url}/readyz`)).ok
    }
    return false
  } finally {
    server.kill('SIGTERM')
  }
}

const oldest = nodeOf(OLDEST)
assert.equal(output(oldest, ['program.mjs']), 'memory succeeded 5\nstore_unsafe\n')
output(oldest, [bin, 'init'])
assert.match(output(oldest, [bin, 'policy', 'check']), /0 mistakes/)
process.stdout.write(`${OLDEST}: gate, client, commands; SQLite refused\n`)

const withSqlite = nodeOf(OLDEST_WITH_SQLITE)
assert.equal(output(withSqlite, ['program.mjs']), 'memory succeeded 5\nsqlite succeeded 5\n')
assert.ok(await serves(withSqlite))
process.stdout.write(`${OLDEST_WITH_SQLITE}: the same, with SQLite and the server\n`)
