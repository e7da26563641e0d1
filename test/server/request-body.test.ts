import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { bodyBytes } from '../../src/base/net/request-body.ts'
import { type Fetcher, serve } from '../../src/server/serve.ts'

async function served(fetch: Fetcher['fetch']) {
  const { url, close } = await serve({ fetch }, { host: '127.0.0.1', port: 0 })
  onTestFinished(close)
  return url
}

/** As every route: something is looked up before the body is read, and by then it may be there. */
async function echo(request: Request): Promise<Response> {
  await Promise.resolve()
  return new Response(new TextDecoder().decode(await bodyBytes(request)))
}

/** Sends the pieces with pauses in between, and resolves with everything that came back. */
async function sent(url: string, pieces: readonly string[], answers: number): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  const done = Promise.withResolvers<void>()
  socket.on('error', done.reject)
  socket.on('data', (chunk) => {
    text += chunk
    if (text.split('HTTP/1.1 200').length > answers) done.resolve()
  })
  for (const piece of pieces) {
    socket.write(piece)
    await pause(20)
  }
  await done.promise
  socket.destroy()
  return text
}

const head = (length: number) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`

test('a body is the same however it arrives, and the connection takes the next request', async () => {
  const url = await served(echo)
  const together = await sent(url, [`${head(5)}hello${head(5)}there`, `${head(3)}you`], 3)
  expect(together.match(/hello|there|you/g)).toEqual(['hello', 'there', 'you'])
  const apart = await sent(url, [`${head(10)}hel`, `lo you!${head(4)}`, 'next'], 2)
  expect(apart.match(/hello you!|next/g)).toEqual(['hello you!', 'next'])
  const chunked = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'
  expect(await sent(url, [`${chunked}5\r\nhello\r\n0\r\n\r\n`], 1)).toContain('hello')
})

test('a body is read in full where it is larger than what is kept in memory', async () => {
  const url = await served(echo)
  const large = 'ü'.repeat(300_000)
  const answer = await fetch(url, { method: 'POST', body: large })
  expect(await answer.text()).toBe(large)
})

test('a request that another program made of it keeps its own body', async () => {
  const url = await served((request) =>
    echo(new Request(request.url, { method: 'POST', body: 'of the host' })),
  )
  const answer = await fetch(url, { method: 'POST', body: 'of the client' })
  expect(await answer.text()).toBe('of the host')
})

test('a body that was read before is not read again', async () => {
  const url = await served(async (request) => {
    await Promise.resolve()
    await request.text()
    return bodyBytes(request).then(
      () => new Response('read twice'),
      () => new Response('refused'),
    )
  })
  const answer = await fetch(url, { method: 'POST', body: 'once' })
  expect(await answer.text()).toBe('refused')
})
