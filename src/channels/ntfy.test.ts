import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { Notice } from '../gate/notify/channel.ts'
import { ntfy } from './ntfy.ts'

const NOTICE: Notice = {
  id: 'a1-1-asked',
  kind: 'asked',
  question: true,
  at: 1_700_000_000_000,
  to: [{ group: 'finance' }],
  approval: {
    ...{ id: 'a1', revision: 1, status: 'pending', level: 'review', kind: 'tool' },
    ...{ tool: 'pay\u202e', risk: 'L4', agent: 'biller', message: 'May biller run pay?' },
    ...{ askedAt: 1_700_000_000_000, decideBy: 1_700_000_600_000 },
  },
  link: 'https://sign.example/approvals/a1',
}

/** As much of ntfy as there is to get wrong: one JSON body at the root, and a token. */
async function server(status = 200) {
  const got: { body: unknown; authorization: string | undefined; url: string | undefined }[] = []
  const http = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      const { authorization } = request.headers
      got.push({ body: JSON.parse(text), authorization, url: request.url })
      response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {}).end('{}')
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const { port } = http.address() as AddressInfo
  const allowHosts = [`127.0.0.1:${port}`]
  return { got, url: `http://127.0.0.1:${port}/cs-topic-1`, allowHosts }
}

promise(['CS-CHAN-7'], 'the end says who decided, with their name made visible', async () => {
  const { got, ...at } = await server()
  const decidedBy = [{ name: 'Ana\u202e', at: 1_700_000_300_000 }]
  const approval = { ...NOTICE.approval, status: 'denied', decidedBy } as const
  await send(at, { ...NOTICE, kind: 'denied', question: false, approval })
  expect(got[0]?.body).toMatchObject({
    message: 'biller asked. Ana‹U+202E› decided at 22:18 UTC. Nothing is left to decide.',
  })
})

const send = (options: Parameters<typeof ntfy>[0], notice = NOTICE) =>
  ntfy(options).send(notice, new AbortController().signal)

promise(['CS-TOLD-5', 'CS-CHAN-2'], 'a topic of ntfy is told, and can answer nothing', async () => {
  const { got, ...at } = await server()
  await send({ ...at, token: 'tk_secret' })
  expect(got).toEqual([
    {
      url: '/',
      authorization: 'Bearer tk_secret',
      body: {
        topic: 'cs-topic-1',
        title: 'L4: pay‹U+202E› waits for you',
        message: 'biller asks · decide by 22:23 UTC',
        priority: 5,
        click: 'https://sign.example/approvals/a1',
      },
    },
  ])
  const approval = { ...NOTICE.approval, status: 'denied' } as const
  await send(at, { ...NOTICE, kind: 'denied', question: false, approval })
  expect(got[1]?.body).toMatchObject({ title: 'pay‹U+202E›: denied', priority: 1 })
})

promise(['CS-TOLD-4', 'CS-TOLD-6'], 'it is tried again when ntfy says, and guarded', async () => {
  const { got, ...busy } = await server(429)
  await expect(send(busy)).rejects.toMatchObject({ retryAfter: 7_000 })
  await expect(send({ url: busy.url })).rejects.toThrow(/was not allowed/)
  expect(got.length).toBe(1)
})

test('its name hides the topic, and an address without one is refused', () => {
  const { name } = ntfy({ url: 'https://ntfy.sh/very-secret-topic' })
  expect(name).toMatch(/^ntfy:ntfy\.sh:[0-9a-f]{8}$/)
  for (const url of ['https://ntfy.sh/', 'https://u:p@ntfy.sh/x', 'ftp://ntfy.sh/x', 'x']) {
    expect(() => ntfy({ url })).toThrow(expect.objectContaining({ code: 'usage' }))
  }
})
