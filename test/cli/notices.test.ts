import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { BIN, cleanEnv, countersign, folder } from './countersign.ts'

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

interface Told {
  readonly type: string
  readonly data: { readonly link: string; readonly approval: { readonly id: string } }
}

/** Somebody else's server: verifies what it gets, and answers what it is told to. */
async function receiver() {
  const told: Told[] = []
  const state = { status: 204 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const verified = new Webhook(SECRET).verify(body, request.headers as Record<string, string>)
      if (state.status < 300) told.push(verified as Told)
      response.writeHead(state.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { told, state, host: `127.0.0.1:${port}`, types: () => told.map(({ type }) => type) }
}

function start(cwd: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [BIN, 'start', '--port', '0', '--json', ...args], {
    cwd,
    env: { ...cleanEnv(), HOME: cwd, ...env },
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise<{ url: string; channels: string[]; errors: () => string }>(
    (resolve, reject) => {
      child.stdout.once('data', (chunk) =>
        resolve({ ...JSON.parse(String(chunk)), errors: () => errors }),
      )
      child.on('close', () => reject(new Error(errors)))
    },
  )
}

promise(
  ['CS-TOLD-1', 'CS-TOLD-4'],
  'a webhook hears of a question and its end; what is stuck is shown and tried again',
  async () => {
    const hook = await receiver()
    const cwd = folder({ 'countersign.yaml': 'version: 1\ntools: { pay: { approval: true } }\n' })
    const args = ['--webhook', `http://${hook.host}/hook`, '--webhook-allow', hook.host]
    const env = { COUNTERSIGN_WEBHOOK_SECRET: SECRET }
    const { url, channels, errors } = await start(cwd, args, env)
    expect(channels).toEqual([expect.stringMatching(/^webhook:127\.0\.0\.1:/)])
    const home = { cwd, env: { HOME: cwd } }
    const made = await countersign(['token', 'create', '--agent', 'biller'], home)
    const ask = async (key: string) => {
      const response = await fetch(new URL('/v1/calls', url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${made.stdout.trim()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ tool: 'pay', run: key, key, args: { amount: 500, to: 'Lena' } }),
      })
      return (await response.json()) as { id: string }
    }
    const { id } = await ask('1')
    await vi.waitFor(() => expect(hook.types()).toEqual(['approval.asked']), PATIENT)
    expect(hook.told[0]?.data.link).toBe(`${url}approvals/${id}`)
    const denied = await countersign(['deny', id, '--reason', 'no'], home)
    expect(denied.code).toBe(0)
    await vi.waitFor(
      () => expect(hook.types()).toEqual(['approval.asked', 'approval.denied']),
      PATIENT,
    )

    hook.state.status = 410
    await ask('2')
    await vi.waitFor(() => expect(errors()).toMatch(/is shut until the next start/), PATIENT)
    const stuck = await countersign(['notices'], home)
    expect(stuck.code).toBe(1)
    expect(stuck.stdout).toMatch(/0 waiting, 1 stuck {2}shut: it answered 410: gone/)
    expect(stuck.stdout).toMatch(/stuck {4}asked/)
    hook.state.status = 204
    const again = await countersign(['notices', '--retry', '--json'], home)
    expect(JSON.parse(again.stdout)).toMatchObject({ retried: 1, stuck: 0 })
    await vi.waitFor(() => expect(hook.types()).toHaveLength(3), PATIENT)
  },
)

const PATIENT = { timeout: 20_000, interval: 50 }

test.each([
  ['without a secret', {}, /^usage: a webhook needs a secret/],
  [
    'with a bad secret',
    { COUNTERSIGN_WEBHOOK_SECRET: 'hunter2' },
    /^usage: the secret of a webhook/,
  ],
  [
    'with a secret file that is not there',
    { COUNTERSIGN_WEBHOOK_SECRET_FILE: 'gone' },
    /cannot be read/,
  ],
])('a webhook %s does not start', async (_, env: Record<string, string>, says) => {
  const args = ['start', '--port', '0', '--webhook', 'https://hooks.example.com/x']
  const { code, stderr } = await countersign(args, { cwd: folder(), env })
  expect(code).toBe(2)
  expect(stderr).toMatch(says)
  expect(stderr).not.toContain('hunter2')
})
