import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, vi } from 'vitest'
import { writeCheckpoint } from '../src/gate/proof/checkpoint.ts'
import { openSigner } from '../src/gate/proof/keys.ts'
import { revokeKey } from '../src/gate/proof/revocations.ts'
import { signCommand } from '../src/store/audit/sign-command.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { approved } from '../src/testing/store-cases/expect.ts'
import { temporaryFolder } from './audit/record.ts'
import { countersign, folder as folderWith } from './cli/countersign.ts'
import { start } from './cli/started.ts'
import { promise } from './support/promise.ts'

vi.setConfig({ testTimeout: 60_000 })

const READ = `const { sign, createPrivateKey } = require('node:crypto')
const input = require('node:fs').readFileSync(0)
const key = createPrivateKey(require('node:fs').readFileSync(__dirname + '/private.pem'))
`

/** A program with a private key of its own, as one that asks a KMS would be. */
function program(says: string) {
  const folder = temporaryFolder()
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(path.join(folder, 'private.pem'), pem, { mode: 0o600 })
  const file = path.join(folder, 'sign.cjs')
  writeFileSync(file, `#!${process.execPath}\n${READ}${says}\n`)
  chmodSync(file, 0o700)
  const jwk = publicKey.export({ format: 'jwk' })
  writeFileSync(path.join(folder, 'public.json'), JSON.stringify(jwk))
  return { folder, file, jwk }
}

const RAW = 'process.stdout.write(sign(null, input, key))'
const BASE64 = "console.log(sign(null, input, key).toString('base64'))"

promise.each(
  ['CS-KEY-3'],
  'a program signs with a key that is not on this machine',
  [
    ['as bytes', RAW],
    ['in base64', BASE64],
  ],
  async (_, says) => {
    const store = memoryStore()
    const { file, jwk } = program(says)
    const signer = await openSigner({ store, keys: signCommand(file, jwk) })
    await approved(store)
    expect(await writeCheckpoint(store, signer)).toMatchObject({ n: 1, kid: signer.key.kid })
    await approved(store)
    await revokeKey(store, signer.key.kid)
    await expect(writeCheckpoint(store, signer)).rejects.toMatchObject({ code: 'key_unusable' })
  },
)

promise.each(
  ['CS-KEY-3'],
  'nothing is signed by a program that',
  [
    ['fails', 'process.exit(3)'],
    ['signs something else', "process.stdout.write(sign(null, Buffer.from('x'), key))"],
    ['says something else', "console.log('signed')"],
    ['does not stop talking', "for (;;) require('node:fs').writeSync(1, 'x'.repeat(4096))"],
  ],
  async (_, says) => {
    const store = memoryStore()
    const { file, jwk } = program(says)
    const signer = await openSigner({ store, keys: signCommand(file, jwk) })
    await approved(store)
    await expect(writeCheckpoint(store, signer)).rejects.toMatchObject({ code: 'key_unusable' })
    expect(await store.vault.lastCheckpoint()).toBeUndefined()
  },
)

promise(
  ['CS-KEY-3'],
  'a server says that a program does not sign, at its start or later',
  async () => {
    const { file, folder } = program(`const fs = require('node:fs')
if (fs.existsSync(__dirname + '/used')) process.exit(3)
fs.writeFileSync(__dirname + '/used', '')
${RAW}`)
    const cwd = folderWith({ 'countersign.yaml': 'version: 1\ntools: {}\n' })
    const env = {
      COUNTERSIGN_SIGN_COMMAND: file,
      COUNTERSIGN_SIGN_KEY: path.join(folder, 'public.json'),
    }
    const { child, ended } = await start(cwd, [], env)
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(said).toContain('no checkpoint was signed')
    const again = await countersign(['start', '--port', '0'], { cwd, env: { ...env, HOME: cwd } })
    expect(again.stderr).toContain('key_unusable')
  },
)

promise(['CS-KEY-3'], 'a server signs with a key elsewhere, and with no other', async () => {
  const { file, folder, jwk } = program(RAW)
  const cwd = folderWith({ 'countersign.yaml': 'version: 1\ntools: {}\n' })
  const env = {
    COUNTERSIGN_SIGN_COMMAND: file,
    COUNTERSIGN_SIGN_KEY: path.join(folder, 'public.json'),
  }
  const { url, child, ended } = await start(cwd, [], env)
  const { keys } = (await (await fetch(new URL('/.well-known/jwks.json', url))).json()) as {
    keys: { x: string; kid: string }[]
  }
  expect(keys.map(({ x }) => x)).toEqual([jwk.x])
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const inHere = { cwd, env: { ...env, HOME: cwd } }
  const verified = await countersign(['audit', 'verify', '--json'], inHere)
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, signedBy: [keys[0]?.kid] })
  const report = ['audit', 'report', 'access', '--out', 'a.html', '--sign']
  expect((await countersign(report, inHere)).code).toBe(0)
  expect((await countersign(['audit', 'check-report', 'a.html'], inHere)).code).toBe(0)
  expect((await countersign(['keys', 'rotate'], inHere)).stderr).toContain('not on this machine')
  // It seals secrets of this server, and was never published.
  expect(readdirSync(path.join(cwd, '.countersign/keys'))).toHaveLength(1)
  const half = { cwd, env: { COUNTERSIGN_SIGN_COMMAND: file, HOME: cwd } }
  expect((await countersign(['keys', 'list'], half)).stderr).toContain('COUNTERSIGN_SIGN_KEY')
})
