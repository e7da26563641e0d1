/** The packed package in a real Next app: built, started, and decided in below `/approvals`. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tellStory } from '../../test/app/mounted.ts'
import { root } from '../tool.ts'

const NEXT = '16.4.6'
const REACT = '19.3.1'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-next-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
  const done = spawnSync(command, [...args], { cwd, env, encoding: 'utf8' })
  assert.equal(done.status, 0, `${command} ${args.join(' ')}\n${done.stdout}\n${done.stderr}`)
}

function write(file: string, text: string): void {
  const place = path.join(folder, file)
  mkdirSync(path.dirname(place), { recursive: true })
  writeFileSync(place, text)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const port = await freePort()
const origin = `http://127.0.0.1:${port}`

write('package.json', '{"private":true,"type":"module"}')
write('next.config.mjs', "export default { serverExternalPackages: ['countersign'] }\n")
write(
  'countersign.mjs',
  `import { definePolicy } from 'countersign'
import { createCountersign } from 'countersign/server'
import { inboxFiles } from 'countersign/server/node'
import { sqliteStore } from 'countersign/sqlite'
globalThis.countersign ??= createCountersign({
  policy: definePolicy({ tools: { pay: { approval: true } } }),
  store: sqliteStore('approvals.db'),
  publicUrl: '${origin}/approvals',
  inbox: inboxFiles(),
})
export const countersign = globalThis.countersign
`,
)
write(
  'app/approvals/[[...path]]/route.js',
  `import { countersign } from '../../../countersign.mjs'
export const dynamic = 'force-dynamic'
export const GET = countersign.fetch
export const POST = countersign.fetch
export const PUT = countersign.fetch
export const DELETE = countersign.fetch
`,
)
write('app/hello/route.js', "export const GET = () => new Response('hello')\n")
write(
  'app/link/route.js',
  `import { countersign } from '../../countersign.mjs'
export const dynamic = 'force-dynamic'
export const GET = async () =>
  new Response(await countersign.signInLink({ email: 'ana@example.com', roles: ['viewer', 'approver', 'admin'] }))
`,
)
write(
  'app/layout.js',
  'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
)
write('app/not-found.js', "export default () => 'of the host'\n")

run('npm', ['pack', '--pack-destination', folder], root)
const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
assert.ok(tarball)
const packages = [`next@${NEXT}`, `react@${REACT}`, `react-dom@${REACT}`, `./${tarball}`]
run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...packages], folder)
const next = path.join(folder, 'node_modules/next/dist/bin/next')
run(process.execPath, [next, 'build'], folder)

const server = spawn(
  process.execPath,
  [next, 'start', '--hostname', '127.0.0.1', '--port', String(port)],
  { cwd: folder, env: { ...process.env, NODE_ENV: 'production' }, stdio: 'inherit' },
)
const ended = new Promise((resolve) => server.once('exit', resolve))
try {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${origin}/hello`).catch(() => undefined)
    if (answer?.ok) break
    assert.ok(tries < 100 && server.exitCode === null, 'Next did not start')
    await sleep(200)
  }
  await tellStory({ origin, notFound: /of the host/ })
  const page = await fetch(`${origin}/approvals/history`, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /<meta name="countersign-base" content="\/approvals">/)
} finally {
  server.kill('SIGTERM')
  await ended
}
