import { type ChildProcess, spawn } from 'node:child_process'
import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { BIN, cleanEnv, countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'

interface Started {
  readonly url: string
  readonly greeting: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
}

/** `countersign start` on a free port, stopped after the test. */
function start(
  cwd: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Started> {
  const child = spawn(process.execPath, [BIN, 'start', '--port', '0', ...args], {
    cwd,
    env: { ...cleanEnv(), ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let greeting = ''
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', (chunk) => {
      greeting += chunk
      const [url] = /http:[^\s"]+/.exec(greeting) ?? []
      const complete = greeting.endsWith('Ctrl-C to stop.\n') || greeting.endsWith('}\n')
      if (url !== undefined && complete) resolve({ url, greeting, child, ended })
    })
  })
}

test('it prints exactly one address, answers there, and stops when asked', async () => {
  const { url, greeting, child, ended } = await start(folder({ 'countersign.yaml': OWNER }))
  expect(greeting.match(/https?:/g)).toHaveLength(1)
  expect(greeting).toContain('Policy: countersign.yaml (2 tools, 0 servers, 0 governance rules)')
  const health = await fetch(new URL('healthz', url))
  expect(await health.json()).toEqual({ status: 'ok' })
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('without a policy it runs on the defaults and says how to make one', async () => {
  const { url, greeting, child, ended } = await start(folder())
  expect(greeting).toContain('built-in defaults')
  expect(greeting).toContain('countersign init')
  expect(await (await fetch(new URL('status.json', url))).json()).toMatchObject({ files: [] })
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

test('governance from options and environment is in force', async () => {
  const cwd = folder({
    'my.yaml': OWNER,
    'a.yaml': GOVERNANCE,
    'b.yaml': GOVERNANCE.replace('no-production', 'other'),
  })
  const args = ['--policy', 'my.yaml', '--governance', 'a.yaml', '--json']
  const { url, greeting } = await start(cwd, args, { COUNTERSIGN_GOVERNANCE: 'b.yaml' })
  expect(JSON.parse(greeting)).toMatchObject({ url, files: ['my.yaml', 'a.yaml', 'b.yaml'] })
  const status = await fetch(new URL('status.json', url))
  expect(await status.json()).toMatchObject({ counts: { governance: 2 } })
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
  const { code, stderr } = await countersign(['start', '--port', new URL(url).port], { cwd })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^address_in_use: .*\n.*--port/)
})

test.each([
  [['--host', '0.0.0.0'], /^usage: --host 0\.0\.0\.0 .*sign-in/],
  [['--host', 'example.com'], /^usage: --host example\.com /],
  [['--port', '70000'], /^usage: --port 70000 is not a port/],
  [['--port', '80x'], /^usage: --port 80x is not a port/],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await countersign(['start', ...args], { cwd: folder() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

test('another name for this machine is not served, whoever points it here', async () => {
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
