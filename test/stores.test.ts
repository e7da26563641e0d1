import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, test } from 'vitest'
import { lazyStore } from '../src/store/lazy-store.ts'
import { memoryStore } from '../src/store/memory/index.ts'
import { openPostgres, type PostgresOptions } from '../src/store/postgres/open-store.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import type { Store } from '../src/store/store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { StoreHarness } from '../src/testing/store-cases/store-case.ts'
import { storeCases } from '../src/testing/store-cases.ts'
import { splitRoles } from './support/postgres-roles.ts'
import { type RunningPostgres, startPostgres } from './support/start-postgres.ts'

const opened: Store[] = []
const folders: string[] = []

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function keep<S extends Store>(store: S): S {
  opened.push(store)
  return store
}

function memory(): StoreHarness {
  const clock = fakeClock()
  return {
    open: async (options) => keep(memoryStore({ clock: clock.now, ...options })),
    pass: async (ms) => clock.advance(ms),
  }
}

function sqlite(): StoreHarness {
  const clock = fakeClock()
  const places = new Map<Store, string>()
  const openAt = async (place: string, options = {}) => {
    const store = keep(await openSqlite(place, { clock: clock.now, ...options }))
    places.set(store, place)
    return store
  }
  return {
    open(options) {
      const folder = mkdtempSync(path.join(tmpdir(), 'countersign-'))
      folders.push(folder)
      return openAt(path.join(folder, 'approvals.db'), options)
    },
    share: (store, options) => openAt(places.get(store) ?? '', options),
    pass: async (ms) => clock.advance(ms),
  }
}

// One of its own: what is under way anywhere in a Postgres holds the feeds of all its databases back.
let server: Promise<RunningPostgres> | undefined
let database: Promise<string> | undefined

afterAll(async () => (await server)?.stop())

function postgres(): StoreHarness {
  server ??= startPostgres()
  // With the rights of a server and no more: it makes no tables, and cannot drop a trigger.
  database ??= server.then(async ({ url }) => (await splitRoles(url)).server)
  const openFor = async (options: PostgresOptions) =>
    keep(await openPostgres((await database) ?? '', { migrate: false, ...options }))
  return {
    // One database for all: a tenant of its own is as good as new, or tenants are not kept apart.
    open: (options) => openFor({ tenant: randomUUID(), ...options }),
    share: ({ tenant }, options) => openFor({ tenant, ...options }),
    // Nobody moves the clock of a real server: here time really passes.
    pass: (ms) => sleep(ms),
  }
}

/** As programs get it: opened by the first use. */
function lazySqlite(): StoreHarness {
  const { open, share, pass } = sqlite()
  const lazily = (opening: () => Promise<Store>, tenant = 'default') =>
    keep(lazyStore({ name: 'sqlite', tenant, open: opening }))
  const inner = new Map<Store, Promise<Store>>()
  return {
    async open(options) {
      const opening = () => open(options)
      let store: Promise<Store> | undefined
      const lazy = lazily(() => (store ??= opening()), options?.tenant)
      await lazy.now()
      if (store) inner.set(lazy, store)
      return lazy
    },
    ...(share
      ? {
          async share(store: Store, options?: Parameters<typeof share>[1]) {
            const first = (await inner.get(store)) ?? store
            const lazy = lazily(() => share(first, options), options?.tenant)
            await lazy.now()
            return lazy
          },
        }
      : {}),
    pass,
  }
}

describe.each(Object.entries({ memory, sqlite, lazySqlite, postgres }))(
  'the %s store',
  (_, harnessFor) => {
    const sharing = harnessFor().share !== undefined
    const cases = storeCases.filter(({ needs }) => needs === undefined || sharing)
    test.each(cases)('$name', ({ run }) => run(harnessFor()))
  },
)
