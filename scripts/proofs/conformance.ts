/**
 * The conformance suite of MCP for 2026-07-28 against `/mcp`, and before its own server with
 * `countersign mcp` as its client, compared with docs/mcp-conformance.md.
 * It is an alpha, so it is fetched for this alone; `npm test` runs the last stable one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { credentialsProxy } from '../../test/mcp/credentials-proxy.ts'
import { headerUpstream } from '../../test/mcp/header-upstream.ts'
import { modernRequest } from '../../test/mcp/modern-wire.ts'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'bin/countersign.js')
const place = mkdtempSync(path.join(tmpdir(), 'countersign-conformance-'))
const NODE = process.execPath
const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()
const env = {
  ...process.env,
  HOME: place,
  PATH: `${path.dirname(NODE)}${path.delimiter}${process.env.PATH ?? ''}`,
  // Where npx keeps what it fetched stays where it was.
  npm_config_cache: cache,
}

/** A tool whose arguments travel in headers, too. */
const ROUTED = {
  name: 'query',
  description: 'Asks a database of a region.',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    },
    required: ['region', 'limit'],
  },
}

const program = (alias: string, file: string) =>
  `  - { alias: ${alias}, approval: false, command: ${NODE}, args: [${path.join(root, 'test/mcp', file)}] }\n`

/** What a program prints, whatever its status: the suite fails where a single check does. */
function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** One row for each scenario: its name, what passed, and what the suite only warns of. */
function rowOf(folder: string): { readonly row: string; readonly problems: readonly Check[] } {
  const [, name = folder] = /^(?:server-)?(.*?)-\d{4}-\d\d-\d\dT/.exec(folder) ?? []
  const checks: Check[] = JSON.parse(
    readFileSync(path.join(place, 'results', folder, 'checks.json'), 'utf8'),
  )
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length
  const [passed, failed, warned] = [count('SUCCESS'), count('FAILURE'), count('WARNING')]
  const problems = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  return { row: `${name}: ${passed} of ${passed + failed + warned}`, problems }
}

function documented(heading: string): string[] {
  const page = readFileSync(path.join(root, 'docs/mcp-conformance.md'), 'utf8')
  const [, part = ''] = page.split(`\n## ${heading}\n`)
  const rows = (part.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (\d+) of (\d+)/gm)
  return [...rows].map(([, name, passed, all]) => `${name}: ${passed} of ${all}`).sort()
}

/** Whether every scenario of the suite for clients ends as documented. */
async function isSameAsClient(): Promise<boolean> {
  const rows = documented('2026-07-28, as a client of servers')
  let same = rows.length > 0
  for (const row of rows) {
    const [scenario = ''] = row.split(': ')
    const kind = scenario.startsWith('auth/') ? 'conformance-sign-in-client' : 'conformance-client'
    const said = await run('npx', [
      ...['-y', SUITE, 'client', '--scenario', scenario, '--spec-version', '2026-07-28'],
      ...['--command', `${NODE} ${path.join(root, 'test/mcp', `${kind}.ts`)}`],
    ])
    const [, passed, all] = /Passed: (\d+)\/(\d+)/.exec(said) ?? []
    const found = `${scenario}: ${passed} of ${all}`
    same &&= found === row
    process.stdout.write(`${found === row ? 'same  ' : 'OTHER '} ${found}\n`)
  }
  return same
}

const upstream = await headerUpstream([ROUTED])
writeFileSync(
  path.join(place, 'countersign.yaml'),
  `version: 1\nmcp_servers:\n${program('test', 'conformance-upstream.ts')}${program('json', 'schema-upstream.ts')}${program('test_input', 'input-upstream.ts')}${program('test_missing', 'capability-upstream.ts')}  - { alias: routed, approval: false, url: "${upstream.url}" }\n`,
)
const server = spawn(NODE, [bin, 'start', '--port', '0', '--json'], { cwd: place, env })
try {
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    server.stdout.on('data', (chunk) => {
      said += chunk
      const [, found] = /"url": "([^"]+)"/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    server.on('exit', (code) => reject(new Error(`countersign start ended with ${code}`)))
  })
  const token = (await run(NODE, [bin, 'token', 'create', '--agent', 'suite'])).trim()
  const agent = { authorization: `Bearer ${token}` }
  // Servers start with the first client of its kind. One check waits 600 ms for an answer, less than
  // that takes.
  const capabilities = { elicitation: {} }
  await modernRequest(new URL('mcp', url), agent, { method: 'tools/list', capabilities })
  const proxy = await credentialsProxy(new URL('mcp', url), agent)
  await run('npx', [
    ...['-y', SUITE, 'server', '--url', proxy.url.href],
    ...['--suite', 'all', '--spec-version', '2026-07-28', '--output-dir', 'results'],
  ])
  proxy.close()
  const found = readdirSync(path.join(place, 'results')).map(rowOf)
  const rows = found.map(({ row }) => row).sort()
  const wanted = documented('2026-07-28')
  for (const { row, problems } of found) {
    process.stdout.write(`${wanted.includes(row) ? 'same  ' : 'OTHER '} ${row}\n`)
    for (const { id, status, errorMessage } of problems) {
      process.stdout.write(`         ${status} ${id}: ${errorMessage ?? ''}\n`)
    }
  }
  for (const row of wanted) if (!rows.includes(row)) process.stdout.write(`MISSING ${row}\n`)
  const isSame = rows.length > 0 && rows.join('\n') === wanted.join('\n')
  // The servers behind heard of the headers, too.
  const isRouted =
    upstream.calls.length > 0 && upstream.calls.every(({ headers }) => headers['mcp-param-region'])
  process.stdout.write(`${isRouted ? 'same  ' : 'OTHER '} headers of the server behind\n`)
  process.exitCode = (await isSameAsClient()) && isSame && isRouted ? 0 : 1
} finally {
  server.kill()
  upstream.close()
  rmSync(place, { recursive: true, force: true })
}
