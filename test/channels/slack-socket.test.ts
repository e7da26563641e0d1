import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import { openSocket } from '../../src/channels/slack/slack-socket.ts'
import { promise } from '../support/promise.ts'
import { slackWorld } from './slack-world.ts'

promise(['CS-SLACK-5'], 'an answer that Slack sends again is refused again', async () => {
  const { link, ask, fake, open, submission, statusOf } = await slackWorld({ socket: true })
  await vi.waitFor(() => expect(fake.sockets).toBe(1), 5_000)
  await link()
  const { id } = await ask('why')
  // Without the reason that this rule wants.
  const answer = submission(await open(id), 'deny')
  fake.delay = 50
  void fake.envelope('interactive', answer, 'envelope')
  void fake.envelope('interactive', answer, 'envelope')
  const acks = () => fake.acks.filter(({ envelope_id }) => envelope_id === 'envelope')
  await vi.waitFor(() => expect(acks()).toHaveLength(2), 5_000)
  for (const { payload } of acks()) expect(payload).toMatchObject({ response_action: 'errors' })
  expect(await statusOf(id)).toBe('pending')
})

promise(['CS-SLACK-7'], 'a connection whose other side is gone is replaced', async () => {
  let opened = 0
  const server = createServer()
  // It takes connections and never says another word, not even that it closes.
  server.on('upgrade', ({ headers }, socket) => {
    opened += 1
    const accept = createHash('sha1')
      .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.on('error', () => {})
    socket.resume()
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const stop = openSocket({
    call: async () => ({ body: { ok: true, url: `ws://127.0.0.1:${port}/` }, scopes: [] }),
    onEnvelope: async () => undefined,
    report: () => {},
    silence: 50,
  })
  await vi.waitFor(() => expect(opened).toBeGreaterThanOrEqual(2), 2_500)
  await stop()
})
