import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'Lena', card: 'canary-card' } }

interface Listening {
  readonly status: number
  /** Everything heard so far. */
  heard(): string
  /** When the server has ended it. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

async function listen({ server }: Running, as: Sender, lastId?: string): Promise<Listening> {
  const headers = {
    host: HOST,
    ...as,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  }
  const response = await server.app.request('/v1/events', { headers })
  let heard = ''
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const reading = (async () => {
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return
      heard += decoder.decode(chunk.value)
    }
  })()
  const stop = async () => {
    await reader?.cancel()
    await reading
  }
  onTestFinished(stop)
  return { status: response.status, heard: () => heard, ended: reading, stop }
}

async function ask(own: Running, as: Sender, to: string): Promise<string> {
  const body = { ...PAY, args: { ...PAY.args, to } }
  return (await own.send('/v1/calls', { as, body })).at('id')
}

test('every open inbox hears that something changed, and nothing of what it is', async () => {
  const own = running()
  const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
  const listeners = await Promise.all([listen(own, ana), listen(own, ana), listen(own, ana)])
  const id = await ask(own, bot, 'Lena')
  const hint = `event: hint\ndata: {"id":"${id}","revision":1,"status":"pending"}\n\n`
  for (const { heard } of listeners) {
    await expect.poll(heard).toContain(hint)
    expect(heard()).toMatch(/^retry: 2000\n\n/)
    expect(heard()).not.toMatch(/canary|Lena|pay/)
  }
})

test('who comes back with the last id hears what was missed; an unknown one means look again', async () => {
  const own = running()
  const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
  const first = await listen(own, ana)
  const one = await ask(own, bot, 'one')
  await expect.poll(first.heard).toContain(one)
  const [, lastId] = /^id: (.+)$/m.exec(first.heard()) ?? []
  await first.stop()
  const two = await ask(own, bot, 'two')
  const second = await listen(own, ana, lastId)
  await expect.poll(second.heard).toContain(two)
  expect(second.heard()).not.toContain(one)
  expect(second.heard()).not.toContain('reset')
  for (const unknown of ['nonsense', 'deadbeef.1', 'start', 'end', `${lastId}9`]) {
    const { heard } = await listen(own, ana, unknown)
    await expect.poll(heard).toContain('event: reset\n')
  }
})

test('events are for people', async () => {
  const own = running()
  expect((await listen(own, {})).status).toBe(401)
  expect((await listen(own, await own.agent('bot'))).status).toBe(403)
})

test('a server that stops ends its streams', async () => {
  const own = running()
  const { heard } = await listen(own, await own.person('ana@example.com'))
  await expect.poll(heard).toContain('retry')
  await own.server.close()
})

promise(['CS-PEOPLE-1'], 'whoever signs out or is removed hears no more', async () => {
  const own = running()
  const admin = await own.person('root@example.com', ['admin'])
  const [ana, bo] = [await own.person('ana@example.com'), await own.person('bo@example.com')]
  const [first, second, third] = [
    await listen(own, admin),
    await listen(own, ana),
    await listen(own, bo),
  ]
  const { people } = (await own.send('/v1/people', { as: admin })).body as {
    people: { id: string; email?: string }[]
  }
  const id = people.find(({ email }) => email === 'ana@example.com')?.id
  await own.send(`/v1/people/${id}`, { as: admin, method: 'DELETE' })
  await second.ended
  await own.send('/v1/session', { as: bo, method: 'DELETE' })
  await third.ended
  const asked = await ask(own, await own.agent('bot'), 'Lena')
  await expect.poll(first.heard).toContain(asked)
  expect([second.heard(), third.heard()].join()).not.toContain(asked)
})
