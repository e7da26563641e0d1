import { expect, onTestFinished, test } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
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

test('a request for the headers alone leaves no stream open', async () => {
  const own = running()
  const ana = await own.person('ana@example.com')
  const streams = async () => {
    const response = await own.server.app.request('/metrics', { headers: { host: HOST } })
    return /^countersign_event_streams (\d+)$/m.exec(await response.text())?.[1]
  }
  const { stop } = await listen(own, ana)
  expect(await streams()).toBe('1')
  const headers = { host: HOST, ...ana }
  const head = await own.server.app.request('/v1/events', { method: 'HEAD', headers })
  expect([head.status, head.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(await streams()).toBe('1')
  await stop()
  expect(await streams()).toBe('0')
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

promise(
  ['CS-PEOPLE-1'],
  'a person who signs out while their stream is opened hears nothing',
  async () => {
    const store = memoryStore()
    let meanwhile: (() => Promise<unknown>) | undefined
    const slow = new Proxy(store, {
      get(target, name) {
        if (name !== 'eventsSince') return Reflect.get(target, name, target)
        return async (...given: Parameters<typeof store.eventsSince>) => {
          const work = meanwhile
          meanwhile = undefined
          await work?.()
          return target.eventsSince(...given)
        }
      },
    })
    const own = running({ store: slow })
    const bo = await own.person('bo@example.com')
    meanwhile = () => own.send('/v1/session', { as: bo, method: 'DELETE' })
    const headers = { host: HOST, ...bo, 'last-event-id': 'unknown.1' }
    const response = await own.server.app.request('/v1/events', { headers })
    expect([response.status, meanwhile]).toEqual([200, undefined])
    // It ends by itself, and is not only silent until something is changed.
    expect(await response.text()).not.toContain('hint')
  },
)
