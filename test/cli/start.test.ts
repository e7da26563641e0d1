import { existsSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'
import { signIn, start } from './started.ts'

async function statusOf(url: string): Promise<unknown> {
  const headers = await signIn(url)
  return (await fetch(new URL('/status.json', url), { headers })).json()
}

test('it prints exactly one address, answers there, and stops when asked', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { url, greeting, child, ended } = await start(cwd)
  expect(greeting).toContain(`Data: ${path.join(cwd, '.countersign', 'approvals.db')}\n`)
  expect(greeting.match(/https?:/g)).toHaveLength(1)
  expect(greeting).toContain('#signin=')
  expect(greeting).toContain('Policy: countersign.yaml (2 tools, 0 servers, 0 governance rules)')
  const health = await fetch(new URL('healthz', url))
  expect(await health.json()).toEqual({ status: 'ok' })
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('S13: a journal gets the address and no link that signs in', async () => {
  const { url, greeting } = await start(folder(), [], { JOURNAL_STREAM: '8:1234' })
  expect(greeting).not.toContain('signin')
  expect(greeting).toContain('`countersign open` prints a link that signs in')
  expect((await fetch(new URL('healthz', url))).status).toBe(200)
})

test('without a policy it runs on the defaults and says how to make one', async () => {
  const { url, greeting, child, ended } = await start(folder())
  expect(greeting).toContain('built-in defaults')
  expect(greeting).toContain('countersign init')
  expect(await statusOf(url)).toMatchObject({ files: [] })
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

test('the demo agent is offered with --demo alone', async () => {
  const plain = await start(folder({ 'countersign.yaml': OWNER }))
  expect(await statusOf(plain.url)).toMatchObject({ demo: false })
  const described = async (url: string) =>
    Object.keys(
      ((await (await fetch(new URL('/openapi.json', url))).json()) as { paths: object }).paths,
    )
  expect(await described(plain.url)).not.toContain('/v1/demo')
  const headers = { 'content-type': 'application/json' }
  const tried = { method: 'POST', headers, body: '{}' }
  expect((await fetch(new URL('/v1/demo', plain.url), tried)).status).toBe(404)
  const demo = await start(folder({ 'countersign.yaml': OWNER }), ['--demo'])
  expect(await statusOf(demo.url)).toMatchObject({ demo: true })
  expect(await described(demo.url)).toContain('/v1/demo')
})

test('governance from options and environment is in force', async () => {
  const cwd = folder({
    'my.yaml': OWNER,
    'a.yaml': GOVERNANCE,
    'b.yaml': GOVERNANCE.replace('no-production', 'other'),
  })
  const args = ['--policy', 'my.yaml', '--governance', 'a.yaml', '--json']
  const { url, greeting } = await start(cwd, args, { COUNTERSIGN_GOVERNANCE: 'b.yaml' })
  const printed = JSON.parse(greeting) as { link: string }
  expect(printed).toMatchObject({ url, files: ['my.yaml', 'a.yaml', 'b.yaml'] })
  expect(await statusOf(printed.link)).toMatchObject({ counts: { governance: 2 } })
})

test('a broken policy does not start', async () => {
  const cwd = folder({ 'countersign.yaml': 'version: 1\ntoolz: {}\n' })
  const { code, stdout, stderr } = await countersign(['start', '--port', '0'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^policy_invalid: countersign\.yaml:2:1: toolz: .*tools.*\n/)
})

test('a policy that is named but not there does not start on the defaults', async () => {
  const args = ['start', '--port', '0', '--policy', 'gone.yaml']
  const { code, stderr } = await countersign(args, { cwd: folder() })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^policy_unreadable: gone\.yaml /)
})

test('a port in use is said, with what to do', async () => {
  const cwd = folder()
  const { url } = await start(cwd)
  const args = ['start', '--port', new URL(url).port]
  const { code, stderr } = await countersign(args, { cwd, env: { HOME: cwd } })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^address_in_use: .*\n.*--port/)
})

test.each([
  [['--host', '0.0.0.0'], /^usage: --host 0\.0\.0\.0 .*sign-in/],
  [['--db', 'mysql://secret@host'], /^usage: --db is not understood\n/],
  [['--host', 'example.com'], /^usage: --host example\.com /],
  [
    ['--host', '0.0.0.0', '--oidc-issuer', 'https://id.example.com', '--oidc-client-id', 'c'],
    /^usage: --host 0\.0\.0\.0 .*\n.*COUNTERSIGN_PUBLIC_URL/,
  ],
  [['--oidc-issuer', 'https://id.example.com'], /^usage: .*belong together/],
  [['--oidc-issuer', 'http://id.example.com', '--oidc-client-id', 'c'], /^usage: .*https/],
  [['--port', '70000'], /^usage: --port 70000 is not a port/],
  [['--port', '80x'], /^usage: --port 80x is not a port/],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await countersign(['start', ...args], { cwd: folder() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

test.each([
  ['http://inbox.example.com', {}],
  ['https://inbox.example.com/path', {}],
  ['nonsense', {}],
])('COUNTERSIGN_PUBLIC_URL=%s is refused', async (value) => {
  const env = { COUNTERSIGN_PUBLIC_URL: value }
  const { code, stderr } = await countersign(['start', '--port', '0'], { cwd: folder(), env })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^usage: COUNTERSIGN_PUBLIC_URL is not an https address/)
})

test('what is kept lies beside the policy, for its owner only and out of version control', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER, 'sub/file': '' })
  const { child, ended } = await start(path.join(cwd, 'sub'))
  const place = path.join(cwd, '.countersign')
  expect(statSync(place).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(place, 'approvals.db')).mode & 0o777).toBe(0o600)
  expect(readFileSync(path.join(place, '.gitignore'), 'utf8')).toBe('*\n')
  expect(existsSync(path.join(place, 'server.json'))).toBe(true)
  child.kill('SIGTERM')
  await ended
  expect(existsSync(path.join(place, 'server.json'))).toBe(false)
})

test('another link is one command away while it runs', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { url, child, ended } = await start(cwd)
  const { code, stdout } = await countersign(['open'], { cwd })
  expect(code).toBe(0)
  expect(stdout.trim()).not.toBe(url)
  expect(await statusOf(stdout.trim())).toMatchObject({ counts: { tools: 2 } })
  const other = await countersign(['open', '--as', 'Ana@Example.com', '--json'], { cwd })
  const headers = await signIn((JSON.parse(other.stdout) as { link: string }).link)
  const me = await fetch(new URL('/v1/me', url), { headers })
  expect(await me.json()).toMatchObject({
    person: { email: 'ana@example.com' },
    roles: ['viewer', 'approver'],
  })
  child.kill('SIGTERM')
  await ended
  const late = await countersign(['open'], { cwd })
  expect(late.code).toBe(7)
  expect(late.stderr).toMatch(/^server_unreachable: .*\n.*countersign start/)
})

test('an agent gets its token on the command line, and loses it there', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { url } = await start(cwd)
  const { stdout: token } = await countersign(['token', 'create', '--agent', 'bot'], { cwd })
  expect(token).toMatch(/^cs_[0-9a-f]{12}_[\w-]{43}\n$/)
  const headers = { authorization: `Bearer ${token.trim()}` }
  expect((await fetch(new URL('/v1/approvals', url), { headers })).status).toBe(200)
  const list = await countersign(['token', 'list'], { cwd })
  expect(list.stdout).toContain('bot')
  expect(list.stdout).not.toContain(token.trim().slice(-43))
  const [, prefix = ''] = token.split('_')
  expect((await countersign(['token', 'revoke', prefix], { cwd })).code).toBe(0)
  expect((await fetch(new URL('/v1/approvals', url), { headers })).status).toBe(401)
  expect((await countersign(['token', 'revoke', prefix], { cwd })).code).toBe(4)
  const bad = await countersign(['token', 'create', '--agent', 'a b'], { cwd })
  expect(bad.stderr).toMatch(/^usage: /)
})

test('killed and started again, it goes on where it was', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const first = await start(cwd)
  const { stdout } = await countersign(['token', 'create', '--agent', 'bot'], { cwd })
  const bot = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' }
  const person = await signIn(first.url)
  const people = { ...person, 'content-type': 'application/json' }
  const post = async (at: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(at, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, string>
  }
  const call = { tool: 'note', server: 'pad', run: 'r', key: 'k', args: { text: 'hello' } }
  const asked = await post(`${new URL('/v1/calls', first.url)}`, bot, call)
  expect(asked.status).toBe('pending')

  first.child.kill('SIGKILL')
  await first.ended
  const samePort = ['--port', new URL(first.url).port]
  const second = await start(cwd, samePort)
  const at = (path: string) => `${new URL(`/v1/approvals/${asked.id}/${path}`, second.url)}`
  // The cookie and the token are still good, and the question is still there.
  const { digest } = asked
  const decided = await post(at('decisions'), people, { verdict: 'approve', digest })
  expect(decided.status).toBe('approved')
  const { claim } = await post(at('claim'), bot, { digest })

  second.child.kill('SIGKILL')
  await second.ended
  const third = await start(cwd, samePort)
  const result = `${new URL(`/v1/approvals/${asked.id}/result`, third.url)}`
  const ended = await post(result, bot, { claim, outcome: 'succeeded', result: 'done' })
  expect(ended).toMatchObject({ execution: 'succeeded', result: 'done' })
}, 60_000)

test('another name for this machine is not served', async () => {
  const { url } = await start(folder())
  const answer = await new Promise<{ status: number | undefined; body: string }>((resolve) => {
    const { port } = new URL(url)
    request({ port, host: '127.0.0.1', headers: { host: `evil.example:${port}` } }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    }).end()
  })
  expect(answer.status).toBe(403)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'wrong_host' } })
})
