import { CountersignError } from '../base/errors.ts'
import type { Store } from './store.ts'

export interface Opening {
  readonly name: string
  readonly tenant: string
  /** Opens the database. Called again after a failure, when the store is next used. */
  readonly open: () => Promise<Store>
}

const PARTS = ['vault', 'records', 'grants', 'outbox', 'observations', 'statistics'] as const

/** What stays as it is once the database is open: how the store is closed, and the signal of its loss. */
const KEPT: ReadonlySet<string> = new Set<keyof Store>([...PARTS, 'lost', 'close'])

/**
 * A store that opens itself when it is first used, so that a program can be put together without
 * waiting. A database that cannot be opened refuses every use with the reason, and is tried again.
 * Once open, its methods are those of the opened store: nothing is forwarded any more.
 */
export function lazyStore({ name, tenant, open }: Opening): Store {
  let opened: Store | undefined
  let opening: Promise<Store> | undefined
  let isClosed = false
  const losing = new AbortController()
  const listeners = new Set<(store: Store) => void>()

  async function openNow(): Promise<Store> {
    const store = await open()
    const lost = () => losing.abort(store.lost.reason)
    if (store.lost.aborted) lost()
    else store.lost.addEventListener('abort', lost, { once: true })
    opened = store
    become(store)
    for (const listen of listeners) listen(store)
    listeners.clear()
    return store
  }

  function use(): Promise<Store> {
    if (isClosed) {
      return Promise.reject(new CountersignError('store_closed', 'the store is closed'))
    }
    opening ??= openNow().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /** For facts of the database that only an open one has. */
  function known(): Store {
    if (opened) return opened
    throw new CountersignError('store_unavailable', 'the store is not open yet', {
      hint: 'Await gate.ready() first.',
    })
  }

  /** Each method opens the store, and is then called on it. */
  function forward<T extends object, K extends keyof T & string>(
    part: (store: Store) => T,
    names: readonly K[],
  ): Pick<T, K> {
    const methods = names.map((method) => [
      method,
      async (...args: unknown[]) =>
        (part(await use())[method] as (...args: unknown[]) => unknown)(...args),
    ])
    return Object.fromEntries(methods) as Pick<T, K>
  }

  /** In place: callers hold this store and its parts since before it was opened. */
  function become(store: Store): void {
    for (const part of PARTS) Object.defineProperties(lazy[part], descriptorsOf(store[part]))
    for (const [name, descriptor] of Object.entries(descriptorsOf(store))) {
      if (!KEPT.has(name)) Object.defineProperty(lazy, name, descriptor)
    }
  }

  /** Listens from the moment the store opens: before that, nothing can be missed. */
  function listening(listen: (store: Store) => () => void): () => void {
    if (opened) return listen(opened)
    let stop: (() => void) | undefined
    const start = (store: Store) => {
      stop = listen(store)
    }
    listeners.add(start)
    return () => {
      listeners.delete(start)
      stop?.()
    }
  }

  const lazy: Store = {
    name,
    tenant,
    get instance() {
      return known().instance
    },
    get quarantine() {
      return known().quarantine
    },
    get warnings() {
      return known().warnings
    },
    lost: losing.signal,
    inbox: (id) => opened?.inbox?.(id) ?? 'npx countersign start',
    vault: {
      get database() {
        return known().vault.database
      },
      ...forward(
        ({ vault }) => vault,
        ['keys', 'publish', 'spend', 'lastCheckpoint', 'moved', 'addCheckpoint', 'log'],
      ),
    },
    records: forward(({ records }) => records, ['get', 'put', 'list', 'remove']),
    grants: forward(({ grants }) => grants, ['apply', 'get', 'list', 'uses', 'due']),
    outbox: forward(({ outbox }) => outbox, ['open', 'shut', 'take', 'settle', 'summary', 'retry']),
    observations: forward(({ observations }) => observations, ['add', 'list']),
    statistics: forward(({ statistics }) => statistics, ['step', 'read']),
    ...forward(
      (store) => store,
      [
        'apply',
        'amend',
        'get',
        'getMany',
        'find',
        'before',
        'findByDigest',
        'list',
        'counts',
        'events',
        'eventsSince',
        'eventsBefore',
        'newestPolicyEvent',
        'waitFor',
        'due',
        'content',
        'contentOf',
        'erase',
        'eraseThose',
        'instances',
        'assertWritable',
        'now',
      ],
    ),
    async ask(request) {
      const store = await use()
      return store.ask?.(request)
    },
    async index() {
      const store = await use()
      return (await store.index?.()) ?? false
    },
    recent: (id) => opened?.recent?.(id),
    subscribe: (changed) => listening((store) => store.subscribe(changed)),
    onAmended: (amended) => listening((store) => store.onAmended(amended)),
    async close() {
      isClosed = true
      await opening?.then(
        (store) => store.close(),
        () => {},
      )
    },
  }
  return lazy
}

function descriptorsOf(value: object): Readonly<Record<string, PropertyDescriptor>> {
  return Object.getOwnPropertyDescriptors(value)
}
