import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { Notice } from '../gate/notify/channel.ts'
import { teams } from './teams.ts'

const EVIL = '**[pay](https://evil.example)** <at>all</at>\u202e'
const NOTICE: Notice = {
  ...{ id: 'a1-1-asked', kind: 'asked', question: true, at: 1_700_000_000_000 },
  to: [{ group: 'finance' }],
  approval: {
    ...{ id: 'a1', revision: 1, status: 'pending', level: 'review', kind: 'tool' },
    ...{ tool: EVIL, risk: 'L4', agent: 'biller', message: `Pay «${EVIL}»?`, authored: true },
    ...{ askedAt: 1_700_000_000_000, decideBy: 1_700_000_600_000 },
  },
  link: 'https://sign.example/approvals/a1',
}

/** As a workflow answers: it takes the message and says nothing more. */
async function workflow(status = 202) {
  const got: unknown[] = []
  const http = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      got.push(JSON.parse(text))
      response.writeHead(status, status === 429 ? { 'retry-after': '9' } : {}).end()
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const { port } = http.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/workflows/x/triggers/manual/paths/invoke?sig=secret-sig`
  return { got, url, allowHosts: [`127.0.0.1:${port}`] }
}

const send = (options: Parameters<typeof teams>[0], notice = NOTICE) =>
  teams(options).send(notice, new AbortController().signal)

interface Part {
  readonly type: string
  readonly [member: string]: unknown
}

function partsOf(value: unknown): Part[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(partsOf)
  return 'type' in value && typeof value.type === 'string' ? [value as Part, ...inner] : inner
}

promise(
  ['CS-TEAMS-1', 'CS-TOLD-5', 'CS-CHAN-2'],
  'a channel of Teams is told; no text of an agent is markup, and nothing answers',
  async () => {
    const { got, ...at } = await workflow()
    await send({ ...at, share: 'message' })
    const parts = partsOf(got[0])
    // Only these interpret no Markdown.
    const texts = parts.filter((one) => 'text' in one)
    expect(texts.map(({ type }) => type)).toEqual(['TextRun', 'TextRun', 'TextRun'])
    expect(texts.map(({ text }) => text)).toEqual([
      'L4: **[pay](https://evil.example)** <at>all</at>‹U+202E› waits for you',
      'Pay «**[pay](https://evil.example)** <at>all</at>‹U+202E›»?',
      'biller asks · decide by 22:23 UTC',
    ])
    expect(parts.filter(({ type }) => type.startsWith('Action.'))).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the inbox', url: 'https://sign.example/approvals/a1' },
    ])
    const decidedBy = [{ name: 'Ana', at: 1_700_000_300_000 }]
    const approval = { ...NOTICE.approval, tool: 'pay', status: 'denied', decidedBy } as const
    await send(at, { ...NOTICE, kind: 'denied', question: false, approval })
    expect(JSON.stringify(got[1])).toContain('Ana decided at 22:18 UTC.')
  },
)

promise(['CS-TEAMS-1'], 'Retry-After is kept, and no operator reads the address', async () => {
  const { url, allowHosts } = await workflow(429)
  await expect(send({ url, allowHosts })).rejects.toMatchObject({ retryAfter: 9_000 })
  const channel = teams({ url, allowHosts })
  expect(channel.name).toMatch(/^teams:127\.0\.0\.1:\d+:[0-9a-f]{8}$/)
  expect(channel.kinds).not.toContain('voted')
  // Nothing of this machine is reached unless its host is allowed.
  await expect(send({ url })).rejects.toThrow(/private|local|loopback|not allowed|address/)
})

test('an address that is none is refused', () => {
  for (const url of ['', 'ftp://x', 'https://user:pass@x.example/']) {
    expect(() => teams({ url })).toThrow(/workflow of Teams/)
  }
})
