/**
 * MCP Inspector's command line, against `countersign mcp` and `/mcp`: what it is told through us is
 * what the server tells it directly. The Inspector is large, so npx fetches it for this alone.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'bin/countersign.js')
const everything = path.join(
  root,
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
const place = mkdtempSync(path.join(tmpdir(), 'countersign-inspector-'))
const NODE = process.execPath
const env = {
  ...process.env,
  HOME: place,
  PATH: `${path.dirname(NODE)}${path.delimiter}${process.env.PATH ?? ''}`,
}
// Where npx keeps what it fetched stays where it was.
const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()

function run(command: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, {
    cwd: place,
    env: { ...env, npm_config_cache: cache },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stderr}`)
}

const inspect = (target: readonly string[], method: readonly string[]): unknown =>
  JSON.parse(run('npx', ['-y', INSPECTOR, '--cli', ...target, '--method', ...method]))

/** Without what is ours, and under the names the server uses. */
function asOwn(value: unknown, prefix: string): unknown {
  const text = JSON.stringify(value, (_, member: unknown) =>
    Array.isArray(member)
      ? member.filter(({ name }: { name?: unknown }) => !String(name).startsWith('countersign_'))
      : member,
  )
  return JSON.parse(text.replaceAll(`"name":"${prefix}`, '"name":"'))
}

const METHODS: readonly (readonly string[])[] = [
  ['tools/list'],
  ['tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'],
  ['tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=2', 'b=3'],
  ['prompts/list'],
  ['prompts/get', '--prompt-name', 'simple-prompt'],
  ['resources/list'],
  ['resources/templates/list'],
]

const named = (method: readonly string[], prefix: string) =>
  method.map((word, at) =>
    ['--tool-name', '--prompt-name'].includes(method[at - 1] ?? '') ? `${prefix}${word}` : word,
  )

writeFileSync(
  path.join(place, 'countersign.yaml'),
  `version: 1\nmcp_servers:\n  - { alias: all, command: ${NODE}, args: [${everything}, stdio], approval: false }\n`,
)
const server = spawn(NODE, [bin, 'start', '--port', '0', '--json'], { cwd: place, env })
let failed = 0
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
  const token = run(NODE, [bin, 'token', 'create', '--agent', 'inspector']).trim()
  const direct = [NODE, everything, 'stdio']
  const ways = [
    { name: 'countersign mcp', target: [NODE, bin, 'mcp', '--', ...direct], prefix: '' },
    {
      name: '/mcp',
      target: [`${url}mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
      prefix: 'all_',
    },
  ]
  for (const method of METHODS) {
    const wanted = asOwn(inspect(direct, method), '')
    for (const { name, target, prefix } of ways) {
      const found = asOwn(inspect(target, named(method, prefix)), prefix)
      const isSame = isDeepStrictEqual(found, wanted)
      if (!isSame) failed += 1
      process.stdout.write(`${isSame ? 'same  ' : 'OTHER '} ${name}: ${method.join(' ')}\n`)
    }
  }
} finally {
  server.kill()
  rmSync(place, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
