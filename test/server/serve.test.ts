import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import { serve } from '../../src/server/serve.ts'
import { promise } from '../support/promise.ts'

async function serving() {
  const running = await serve({ fetch: () => new Response('here') }, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => running.close())
  return {
    ...running,
    async open(): Promise<Socket> {
      const socket = connect(Number(new URL(running.url).port), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await new Promise((resolve) => socket.once('connect', resolve))
      // Answered in order, so the server has the connection as well.
      await (await fetch(running.url)).text()
      return socket
    },
  }
}

promise(
  ['CS-SERVE-2'],
  'a connection that a client opened ahead and never used does not delay the end',
  async () => {
    const { open, close } = await serving()
    const unused = await open()
    const gone = new Promise((resolve) => unused.once('close', resolve))
    const started = performance.now()
    await Promise.all([close(), gone])
    // Ten seconds is what answers under way are given.
    expect(performance.now() - started).toBeLessThan(9_000)
  },
)

promise(['CS-SERVE-2'], 'a request that has begun to arrive is answered', async () => {
  const { open, close } = await serving()
  const begun = await open()
  begun.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n')
  const { promise: received, resolve } = Promise.withResolvers<void>()
  // Another request over a connection of its own: what was written before it has arrived.
  const later = await open()
  later.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n')
  later.once('data', () => resolve())
  await received
  const closing = close()
  begun.write('\r\n')
  expect(await text(begun)).toMatch(/^HTTP\/1\.1 200 [\s\S]*here/)
  await closing
})
