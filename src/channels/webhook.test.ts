import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { Notice } from '../gate/notify/channel.ts'
import { webhook } from './webhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

const NOTICE: Notice = {
  id: 'a1-1-asked',
  kind: 'asked',
  question: true,
  at: 1_700_000_000_000,
  to: [{ group: 'finance' }],
  approval: {
    id: 'a1',
    revision: 1,
    status: 'pending',
    level: 'review',
    kind: 'tool',
    tool: 'pay',
    risk: 'L3',
    agent: 'biller',
    message: 'Pay 5? ✓',
    askedAt: 1,
    decideBy: 2,
  },
  link: 'https://sign.example/approvals/a1',
}

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

async function receiver(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body })
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/hook?key=abc`
  return { received, url, allowHosts: [`127.0.0.1:${port}`] }
}

const ok = (response: ServerResponse) => response.writeHead(204).end()
const send = (options: Parameters<typeof webhook>[0]) =>
  webhook(options).send(NOTICE, new AbortController().signal)

promise(
  ['CS-TOLD-7'],
  'any receiver of Standard Webhooks verifies it, with either secret',
  async () => {
    const { received, url, allowHosts } = await receiver(ok)
    await send({ url, allowHosts, secrets: [SECRET, OTHER] })
    const [first] = received
    if (!first) throw new Error('nothing came')
    for (const secret of [SECRET, OTHER]) {
      expect(new Webhook(secret).verify(first.body, first.headers)).toEqual({
        type: 'approval.asked',
        timestamp: '2023-11-14T22:13:20.000Z',
        data: { ...NOTICE, kind: undefined, at: undefined },
      })
    }
    const stranger = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`)
    expect(() => stranger.verify(first.body, first.headers)).toThrow()
    const changed = first.body.replace('Pay 5', 'Pay 9')
    expect(() => new Webhook(SECRET).verify(changed, first.headers)).toThrow()
  },
)

promise(
  ['CS-TOLD-6'],
  'nothing of this machine is reached unless its host is allowed',
  async () => {
    const { received, url, allowHosts } = await receiver(ok)
    await expect(send({ url, secrets: SECRET })).rejects.toThrow(/was not allowed/)
    // A name that answers with an address of this machine, as a rebinding attacker's would.
    const named = url.replace('127.0.0.1', 'hooks.example.com').replace('http:', 'https:')
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    await expect(send({ url: named, secrets: SECRET, resolve })).rejects.toThrow(/was not allowed/)
    expect(received).toEqual([])
    await send({ url, allowHosts, secrets: SECRET })
    expect(received.length).toBe(1)
  },
)

promise(['CS-TOLD-6'], 'redirects are not followed', async () => {
  const inner = await receiver(ok)
  const { url, allowHosts } = await receiver((response) =>
    response.writeHead(307, { location: inner.url }).end(),
  )
  const all = [...allowHosts, ...inner.allowHosts]
  await expect(send({ url, allowHosts: all, secrets: SECRET })).rejects.toThrow(
    'it answered 307, and redirects are not followed',
  )
  expect(inner.received).toEqual([])
})

promise(['CS-TOLD-4'], 'what an answer means', async () => {
  const later = await receiver((response) =>
    response.writeHead(429, { 'retry-after': '120' }).end(),
  )
  await expect(send({ ...later, secrets: SECRET })).rejects.toMatchObject({
    message: 'it answered 429',
    retryAfter: 120_000,
    gone: false,
  })
  const gone = await receiver((response) => response.writeHead(410).end())
  await expect(send({ ...gone, secrets: SECRET })).rejects.toMatchObject({ gone: true })
  const broken = await receiver((_, request) => request.socket.destroy())
  await expect(send({ ...broken, secrets: SECRET })).rejects.toThrow(/^it failed: /)
  const silent = await receiver(() => {})
  await expect(send({ ...silent, secrets: SECRET, timeout: 100 })).rejects.toThrow(
    'it did not answer in time',
  )
})

test('an answer without end is not read to its end', async () => {
  const { url, allowHosts } = await receiver((response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(65_536)
    const push = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', push)
    }
    push()
  })
  await send({ url, allowHosts, secrets: SECRET })
})

test('its name shows the host and hides the path', () => {
  const { name } = webhook({ url: 'https://hooks.example.com/T0/secret', secrets: SECRET })
  expect(name).toMatch(/^webhook:hooks\.example\.com:[0-9a-f]{8}$/)
})

test.each([
  ['no secret', { url: 'https://a.example', secrets: [] }],
  ['a short secret', { url: 'https://a.example', secrets: 'whsec_c2hvcnQ=' }],
  [
    'a secret that is not base64',
    { url: 'https://a.example', secrets: 'x'.repeat(40).concat('!') },
  ],
  ['another protocol', { url: 'file:///etc/passwd', secrets: SECRET }],
  ['a password in the address', { url: 'https://u:p@a.example', secrets: SECRET }],
])('a webhook with %s is refused at once', (_, options) => {
  expect(() => webhook(options)).toThrow(expect.objectContaining({ code: 'usage' }))
})
