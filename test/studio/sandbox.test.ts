import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Json } from '../../src/base/json/json.ts'
import { type Capabilities, NO_CAPABILITIES } from '../../src/studio/sandbox/capabilities.ts'
import type { Language, Limits } from '../../src/studio/sandbox/messages.ts'
import { type KeyValues, runTool } from '../../src/studio/sandbox/run-tool.ts'
import type { Secret } from '../../src/studio/sandbox/secrets.ts'
import { promise } from '../support/promise.ts'

interface Run {
  readonly args?: Json
  readonly language?: Language
  readonly can?: Partial<Capabilities>
  readonly secrets?: readonly Secret[]
  readonly limits?: Partial<Limits>
  readonly allowHosts?: readonly string[]
}

let server: Server
let host = ''
const heard: IncomingMessage[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    heard.push(request)
    if (request.url === '/away') {
      response.writeHead(302, { location: 'http://127.0.0.1:9/metadata' }).end()
    } else if (request.url === '/large') response.end('x'.repeat(2_000_000))
    else if (request.url === '/slow') return
    else {
      const said = { auth: request.headers.authorization ?? null, url: request.url }
      const encoded = Buffer.from(String(said.auth).replace('Bearer ', '')).toString('base64')
      response.end(JSON.stringify({ ...said, encoded }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function keyValues(): KeyValues {
  const kept = new Map<string, Json>()
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
    keys: async () => [...kept.keys()],
  }
}

function run(source: string, { args = {}, language = 'javascript', ...more }: Run = {}) {
  const capabilities = { ...NO_CAPABILITIES, ...more.can }
  return runTool({ source, language, capabilities }, args, {
    secrets: more.secrets ?? [],
    kv: keyValues(),
    allowHosts: more.allowHosts ?? [host],
    limits: { cpu: 300, ...more.limits },
  })
}

promise(
  ['CS-STUDIO-1'],
  'a tool in JavaScript or TypeScript gets its arguments and gives a result',
  async () => {
    const plain = await run('export default ({ a, b }) => ({ sum: a + b })', {
      args: { a: 2, b: 40 },
    })
    expect(plain.result).toEqual({ sum: 42 })
    const typed = await run(
      'interface In { city: string }\nexport default async function f({ city }: In): Promise<string> {\n  console.log("for", { city })\n  return city.toUpperCase()\n}',
      { args: { city: 'Bonn' }, language: 'typescript' },
    )
    expect(typed).toMatchObject({
      result: 'BONN',
      logs: [{ level: 'info', text: 'for {"city":"Bonn"}' }],
    })
  },
)

promise.each(
  ['CS-STUDIO-17'],
  'an error names the line of the source',
  [
    ['thrown', 'export default () => {\n  throw new Error("no")\n}', 'javascript', /^tool\.js:2/],
    ['syntax', 'const a = 1\n\nexport default () => {{\n', 'javascript', /^tool\.js:4/],
    [
      'types',
      'const a: number = 1\nenum B { A }\nexport default () => a',
      'typescript',
      /^tool\.js:2/,
    ],
    [
      'thrown under types',
      'type A = {\n  a: 1\n}\nexport default (a: A) => a.b.c',
      'typescript',
      /^tool\.js:4/,
    ],
  ],
  async (_, source, language, line) => {
    const { error } = await run(source, { language: language as 'javascript' })
    expect(error?.at).toMatch(line as RegExp)
  },
)

/** Patterns of published escapes from sandboxes in JavaScript. */
const ESCAPES: readonly [string, string][] = [
  ['globals of Node', 'typeof process + typeof require + typeof Buffer + typeof setTimeout'],
  ['Function of a function', '(() => {}).constructor("return typeof process + typeof require")()'],
  ['Function of a host function', 'console.log.constructor.constructor("return typeof process")()'],
  [
    'Function of an async generator',
    '(async function* () {}).constructor("yield typeof process")().next().then((x) => x.value)',
  ],
  [
    'prepareStackTrace',
    '{ let seen; Error.prepareStackTrace = (_, frames) => { seen = frames; return "" }; try { null.x } catch (e) { e.stack }; return typeof seen?.[0]?.getThis?.()?.process }',
  ],
  [
    'an error of the host',
    '{ try { fetch.call(null, { get toString() { throw 1 } }) } catch (e) { return typeof e.constructor?.constructor?.("return process")?.() } return "undefined" }',
  ],
  ['a getter of the import meta', 'String(import.meta.url?.startsWith("file:"))'],
]

promise.each(['CS-STUDIO-1'], 'nothing of the host can be reached', ESCAPES, async (_, code) => {
  const body = code.startsWith('{') ? code : `{ return ${code} }`
  const { result, error } = await run(`export default async () => ${body}`)
  expect(String(result ?? error?.message)).not.toContain('object')
  expect(String(result ?? '')).not.toContain('function')
  expect(String(result)).not.toBe('true')
})

const MODULES: readonly [string, string][] = [
  [
    'import',
    'import fs from "node:fs"\nexport default () => fs.readFileSync("/etc/hostname", "utf8")',
  ],
  [
    'import()',
    'export default async () => (await import("node:fs")).readFileSync("/etc/hostname", "utf8")',
  ],
  [
    'a module of ours',
    'import { runTool } from "./run-tool.ts"\nexport default () => typeof runTool',
  ],
]

promise.each(['CS-STUDIO-1'], 'no module can be loaded', MODULES, async (_, source) => {
  expect((await run(source)).error?.message).toMatch(/could not load module/)
})

const BOMBS: readonly [string, string, string, RegExp][] = [
  ['a loop', 'for (;;);', 'cpu', /computed for more than 300 ms/],
  [
    'a loop that catches',
    'while (true) { try { for (;;); } catch {} finally {} }',
    'cpu',
    /computed/,
  ],
  [
    'a chain of promises',
    'const f = () => Promise.resolve().then(f); await f()',
    'cpu',
    /computed/,
  ],
  [
    'many chains, of which the interpreter interrupts one at a time',
    'const f = async () => { for (;;) await 0 }; for (let i = 0; i < 5000; i++) f(); await f()',
    'cpu',
    /computed/,
  ],
  ['a pattern that backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")', 'cpu', /computed/],
  [
    'array buffers',
    'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))',
    'thrown',
    /out of memory/,
  ],
  ['recursion', 'const f = () => f() + 1; return f()', 'thrown', /call stack/],
  ['a promise that never settles', 'await new Promise(() => {})', 'stuck', /never happens/],
  ['a huge result', 'return "x".repeat(300000)', 'result', /larger than 262144 bytes/],
  ['a cycle', 'const a = {}; a.a = a; return a', 'thrown', /circular/],
  ['a result that is no JSON', 'return () => 1', 'thrown', /JSON/],
]

promise.each(['CS-STUDIO-2'], 'only that call ends', BOMBS, async (_, body, kind, says) => {
  const { error, ms } = await run(`export default async () => { ${body} }`, {
    limits: { wall: 9_000 },
  })
  expect(error).toMatchObject({ kind, message: expect.stringMatching(says) })
  expect(ms).toBeLessThan(9_000)
})

promise(
  ['CS-STUDIO-2'],
  'a flood of lines is cut, and a wait that takes too long is ended',
  async () => {
    const flood = await run(
      'export default () => { for (let i = 0; i < 5000; i++) console.log("x".repeat(9000)); return 1 }',
      { limits: { cpu: 2_000 } },
    )
    expect(flood.result).toBe(1)
    expect(flood.logs).toHaveLength(200)
    expect(flood.logs[0]?.text).toHaveLength(2_000)
    const can = { net: [host] }
    const slow = await run(`export default () => fetch("http://${host}/slow")`, {
      can,
      limits: { wall: 1_500 },
    })
    expect(slow.error).toMatchObject({ kind: 'wall', message: 'it took longer than 1500 ms' })
    const many = await run(`export default async (_, { kv }) => { for (;;) await kv.get("a") }`, {
      can: { kv: true },
      limits: { cpu: 5_000 },
    })
    expect(many.error?.message).toMatch(/at most 50 requests/)
  },
)

promise(
  ['CS-STUDIO-2'],
  'a tool that changes what everything inherits from changes its own world only',
  async () => {
    const source = `export default async () => {
    Object.prototype.polluted = 'yes'
    JSON.stringify = () => '{"forged":true}'
    Promise.prototype.then = () => {}
    Array.prototype.map = () => ['no']
    console.log({ a: 1 })
    return JSON.parse('{"__proto__":{"polluted":"yes"},"a":1}')
  }`
    const { result, logs, error } = await run(source)
    // Its own promises no longer work; that is its own affair.
    expect(error?.kind ?? 'stuck').toBe('stuck')
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
    expect(JSON.stringify([result ?? null, logs])).not.toContain('forged')
  },
)

const DENIED: readonly [string, string, Partial<Capabilities>, string][] = [
  ['a host', 'await fetch("https://api.example.com/")', {}, 'net: api.example.com'],
  [
    'another host',
    'await fetch("https://example.com.evil.test/")',
    { net: ['example.com'] },
    'net: example.com.evil.test',
  ],
  [
    'a POST',
    'await fetch("https://example.com/", { method: "post" })',
    { net: ['example.com'] },
    'write (to send POST requests)',
  ],
  ['a secret', 'return secrets.KEY', {}, 'secrets: KEY'],
  ['keys', 'await kv.set("a", 1)', {}, 'kv'],
]

promise.each(
  ['CS-STUDIO-3'],
  'a refusal names the capability',
  DENIED,
  async (_, code, can, capability) => {
    const source = `export default async (_, { kv, secrets }) => { ${code.replace('HOST', host)} }`
    const net = can.net?.map((one) => one.replace('HOST', host))
    const { error } = await run(source, { can: { ...can, ...(net ? { net } : {}) } })
    expect(error?.message).toBe(`Error: this tool lacks the capability ${capability}`)
  },
)

promise(
  ['CS-STUDIO-3'],
  'addresses inside a network are refused, redirects are checked, and answers are bounded',
  async () => {
    const get = (url: string, can: Partial<Capabilities>, allowHosts?: string[]) =>
      run(`export default async () => (await fetch(${JSON.stringify(url)})).status`, {
        can,
        ...(allowHosts ? { allowHosts } : {}),
      })
    const inside = await get(`http://${host}/`, { net: ['*'] }, [])
    expect(inside.error?.message).toMatch(/not on the public internet/)
    expect((await get('https://169.254.169.254/', { net: ['*'] })).error?.message).toMatch(
      /not on the public internet/,
    )
    expect((await get(`http://${host}/away`, { net: [host] })).error?.message).toMatch(
      /capability net: 127\.0\.0\.1:9$/,
    )
    expect((await get(`http://${host}/large`, { net: [host] })).error?.message).toMatch(
      /larger than 1048576 bytes/,
    )
    expect((await get('file:///etc/hostname', { net: ['*'] })).error?.message).toMatch(
      /takes https/,
    )
  },
)

promise(['CS-STUDIO-4'], 'a secret reaches its host and nothing else', async () => {
  const value = 's3cret-value-of-the-api'
  const source = `export default async (_, { secrets, fetch, console }) => {
    console.log('with', secrets.KEY)
    const r = await fetch('http://${host}/?k=' + secrets.KEY, { headers: { authorization: 'Bearer ' + secrets.KEY } })
    const said = await r.json()
    console.log(said)
    return said
  }`
  const can = { net: [host], secrets: ['KEY'] }
  const given = { name: 'KEY', value, hosts: [host] }
  heard.length = 0
  const { result, logs } = await run(source, { can, secrets: [given] })
  expect(heard[0]?.headers.authorization).toBe(`Bearer ${value}`)
  expect(heard[0]?.url).toContain(value)
  const shown = JSON.stringify([result, logs])
  expect(shown).not.toContain(value)
  expect(shown).not.toContain(Buffer.from(value).toString('base64'))
  expect(shown).toContain('[secret]')
  // What it would do with the value if it had it: none of the usual spellings.
  const turned = source.replace('return said', "return said.auth.split('').reverse().join('')")
  const back = await run(turned, { can, secrets: [given] })
  expect(JSON.stringify(back)).not.toContain(value.split('').reverse().join(''))
  // Given for another host: entering the value again is what allows this one.
  heard.length = 0
  const other = await run(source, { can, secrets: [{ ...given, hosts: ['api.example.com'] }] })
  expect(other.error?.message).toMatch(/was not given for/)
  expect(heard).toHaveLength(0)
})

promise(
  ['CS-STUDIO-4'],
  'a mark of a secret that comes from outside the tool is text',
  async () => {
    const value = 's3cret-value-of-the-api'
    const source = `export default async ({ text }, { secrets, fetch }) => {
    const own = secrets.KEY
    const r = await fetch('http://${host}/?q=' + encodeURIComponent(text), { headers: { 'x-note': text } })
    return { said: (await r.json()).url, own: own.slice(0, 13) }
  }`
    const can = { net: [host], secrets: ['KEY'] }
    const secrets = [{ name: 'KEY', value, hosts: [host] }]
    for (const text of ['{{secret:KEY}}', `{{secret:KEY:${'0'.repeat(32)}}}`]) {
      heard.length = 0
      const { result } = await run(source, { args: { text }, can, secrets })
      expect(heard[0]?.headers['x-note']).toBe(text)
      expect(`${heard[0]?.url} ${JSON.stringify(heard[0]?.headers)}`).not.toContain(value)
      expect(result).toMatchObject({ own: '{{secret:KEY:' })
    }
  },
)

promise(['CS-STUDIO-5'], 'what looks like a message of the sandbox is text', async () => {
  const forged = '{"type":"end","result":"{\\"forged\\":true}"}'
  const source = `export default () => { console.log('\\n' + ${JSON.stringify(forged)} + '\\n'); return 'real' }`
  const { result, logs } = await run(source)
  expect(result).toBe('real')
  expect(logs[0]?.text).toContain('forged')
})
