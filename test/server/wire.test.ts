import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { callContracts } from '../../src/api/routes/calls.ts'
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { differs, filled, type Names, type Shown, stepsOf } from '../support/wire-page.ts'
import { running } from './harness.ts'

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/wire.md'), 'utf8')
const policy = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

/** What happens between two requests of the page. */
interface World {
  pass(ms: number): Promise<void>
  loseDatabase(isLost: boolean): void
}

const EVENTS: Readonly<Record<string, (world: World) => Promise<void> | void>> = {
  'an hour passes': ({ pass }) => pass(3_600_000),
  'two minutes pass': ({ pass }) => pass(120_000),
  'the database is away': ({ loseDatabase }) => loseDatabase(true),
  'the database is back': ({ loseDatabase }) => loseDatabase(false),
}

function losable(store: Store) {
  let isLost = false
  const proxy = new Proxy(store, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function' || !isLost || name === 'close') return member
      return () => Promise.reject(new Error('the disk is gone'))
    },
  })
  return {
    store: proxy,
    loseDatabase(now: boolean) {
      isLost = now
    },
  }
}

promise(
  ['CS-WIRE-1'],
  'every request on the page of the wire is answered by the server as the page says, in its order',
  async () => {
    const clock = fakeClock()
    const { store, loseDatabase } = losable(memoryStore({ clock: clock.now }))
    const server = running({ store, policy })
    const sweeper = startSweeper({ store })
    const pass = async (ms: number) => {
      clock.advance(ms)
      await sweeper.sweep()
    }
    const names: Names = new Map()
    const agent = await server.agent('mailer')
    names.set('token', (agent.authorization ?? '').replace('Bearer ', ''))
    const ana = await server.person('ana@example.com')
    names.set('cookie', ana.cookie ?? '').set('csrf', ana['x-countersign-csrf'] ?? '')
    let exchanges = 0
    for (const step of stepsOf(page)) {
      if (step.is === 'event') {
        const happens = EVENTS[step.name]
        if (!happens) throw new Error(`${step.name} is not known here`)
        await happens({ pass, loseDatabase })
        continue
      }
      const { request, response } = step
      const answered = await server.send(...sent(request, names))
      const label = `${request.first}\n${request.body}\n${JSON.stringify(answered.body, null, 2)}`
      expect(differences(response, answered, names), label).toEqual([])
      exchanges += 1
    }
    expect(exchanges).toBeGreaterThan(24)
    await sweeper.stop()
  },
)

function sent({ first, headers, body }: Shown, names: Names) {
  const [method = '', target = ''] = first.split(' ')
  const own = Object.entries(headers).map(([name, value]) => [name, filled(value, names)] as const)
  const json: unknown = body === '' ? undefined : JSON.parse(filled(body, names))
  return [
    filled(target, names),
    { method, headers: Object.fromEntries(own), ...(json === undefined ? {} : { body: json }) },
  ] as const
}

function differences(
  { first, headers, body }: Shown,
  answered: { readonly status: number; readonly headers: Headers; readonly body: unknown },
  names: Names,
): string[] {
  const status = Number(first)
  const wrong = answered.status === status ? [] : [`the status is ${answered.status}`]
  const sentHeaders = Object.entries(headers).flatMap(([name, value]) =>
    differs(value, answered.headers.get(name) ?? undefined, names, name),
  )
  return [...wrong, ...sentHeaders, ...differs(JSON.parse(body), answered.body, names)]
}

promise(
  ['CS-WIRE-1'],
  'the page of the wire says what to do about every code that an agent’s request can be refused with',
  () => {
    const told = [...page.matchAll(/^\| (\d{3}) \| (.+?) \|/gm)].flatMap(([, status, codes]) =>
      [...(codes ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`),
    )
    const routes = ['POST /v1/calls', 'claim', 'renew', 'result'].map((name) =>
      Object.entries(callContracts).find(([route]) => route === name || route.endsWith(`/${name}`)),
    )
    const always = [
      'token_unknown',
      'too_many_requests',
      'store_unavailable',
      'too_large',
      'internal',
    ]
    const codes = [...routes.flatMap((route) => route?.[1].errors ?? []), ...always] as ErrorCode[]
    const all = [...new Set(codes)].map((code) => `${ERRORS[code].http} ${code}`)
    expect(told.toSorted()).toEqual(all.toSorted())
  },
)
