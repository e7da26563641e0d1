import assert from 'node:assert/strict'
import type { Approval } from '../../approval/approval.ts'
import type { Decide } from '../../approval/command.ts'
import type { Filter, Order, Store } from '../../store/store.ts'
import { type Asking, asking, deciding, someDigest } from '../commands.ts'
import type { StoreCase } from './store-case.ts'

/** Two blocks of the index and some more. */
const MANY = 270
const ORDERS = ['newest', 'oldest', 'risk', 'deadline'] as const
const TOOLS = ['transfer_money', 'send-mail', 'deploy', 'refund']
const WORDS = ['Rechnung', 'kunde', 'Berlin', 'Zürich', 'müll', 'ab', 'abend', 'x1', '42', '4711']

interface Told extends Asking {
  readonly message?: string
}

async function askedWith(store: Store, { message = 'Pay 50?', ...what }: Told) {
  const request = asking({ tenant: store.tenant, ...what })
  const content = { ...request.content, message }
  return (await store.apply(request.id, { ...request, content })).approval
}

function editing(approval: Approval, message: string): Decide {
  const { requirements, terms, level } = approval
  return {
    ...deciding(approval),
    edit: {
      digest: someDigest(),
      arguments: '{"amount":51}',
      changed: [['amount']],
      answer: { verdict: level, requirements, terms, policy: 'policy-1' },
      message,
      missing: [],
    },
  }
}

async function searched(store: Store, filter: Filter, order: Order = 'newest', limit = 50) {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await store.list(filter, { order, limit, ...(after ? { after } : {}) })
    assert.ok(page.approvals.length <= limit)
    ids.push(...page.approvals.map(({ id }) => id))
    if (page.next === undefined) return ids
    after = page.next
  }
}

async function indexed(store: Store): Promise<void> {
  while (await store.index?.());
}

/** Asked together, in an order that is known; every fifth is denied. */
async function history(store: Store, count = MANY) {
  const made = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const message = `${WORDS[n % 10]} ${WORDS[(n * 7 + 3) % 10]}, no. ${n}`
      const tool = TOOLS[n % 4] ?? 'deploy'
      const [agent, run] = [`agent-${n % 3}`, `run-${Math.floor(n / 10)}`]
      const risk = (['L1', 'L4', 'L2'] as const)[n % 3] ?? 'L1'
      const decideBy = 3_600_000 + ((n * 31) % 50) * 60_000
      const call = { tool, agent, run, key: `k${n}`, risk }
      const approval = await askedWith(store, { message, call, terms: { decideBy } })
      return { approval, text: [message, tool, agent, run].join(' ') }
    }),
  )
  const denied = made.filter((_, n) => n % 5 === 0)
  await Promise.all(
    denied.map(({ approval }) => store.apply(approval.id, deciding(approval, undefined, 'deny'))),
  )
  return made
}

/** By another way than the stores take: every text is cut at what is no letter or digit. */
function says(text: string, search: string): boolean {
  const cut = (one: string) =>
    one
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[\u0300-\u036f]/g, '')
      .split(/[^a-z0-9]+/)
  return cut(search).every((word) => cut(text).some((other) => other.startsWith(word)))
}

export const searchCases: readonly StoreCase[] = [
  {
    name: 'finds approvals by how their words begin, whatever the case, accents and order',
    async run({ open }) {
      const store = await open()
      const one = await askedWith(store, {
        message: 'Überweise 1.200 € an Zürich-Müller?',
        call: {
          tool: 'transfer_money',
          agent: 'billing-bot',
          run: 'run-7f',
          server: 'bank',
          principal: { subject: 'u1', email: 'lena@example.com' },
        },
      })
      const other = await askedWith(store, { message: '送金しますか、四二円' })
      const found = (text: string) => searched(store, { text })
      for (const text of [
        'überweise',
        'UBERW',
        'zur mul',
        'müller',
        'transfer_money',
        'money transfer',
        'billing',
        'bot bank',
        'run-7',
        'lena@exa',
        '1.200',
        '  200   1 ',
        one.id,
        one.id.slice(0, 20),
        one.id.slice(0, 20).toUpperCase(),
        one.digest.slice(0, 12),
        one.digest,
      ]) {
        assert.deepEqual(await found(text), [one.id], text)
      }
      for (const text of ['eller', 'ransfer', 'müllers', 'lena bob', '€', '?!', 'amount']) {
        assert.deepEqual(await found(text), [], text)
      }
      assert.deepEqual(await found('金 四二'), [other.id])
      assert.deepEqual(await found(' '), [other.id, one.id])
    },
  },
  {
    name: 'searches in each order, with filters, page by page, and leaves no hit out',
    async run({ open }) {
      const store = await open()
      const made = await history(store)
      const searches = ['rech', 'ab be', 'run-1 agent-2', 'zzz', '269']
      const filters: Filter[] = [{}, { agent: 'agent-1', status: ['denied'] }]
      const everything = new Map<string, string[]>()
      for (const order of ORDERS) {
        for (const [index, filter] of filters.entries()) {
          everything.set(`${order} ${index}`, await searched(store, filter, order, 500))
        }
      }
      const texts = new Map(made.map(({ approval, text }) => [approval.id, text]))
      // As it is, and once everything that can be is in the index.
      for (const prepare of [async () => {}, () => indexed(store)]) {
        await prepare()
        for (const order of ORDERS) {
          for (const [index, filter] of filters.entries()) {
            for (const text of searches) {
              const all = everything.get(`${order} ${index}`) ?? []
              const expected = all.filter((id) => says(texts.get(id) ?? '', text))
              const limit = text === 'ab be' ? 7 : 60
              const got = await searched(store, { ...filter, text }, order, limit)
              assert.deepEqual(got, expected, `${text}, ${order}, ${JSON.stringify(filter)}`)
            }
          }
        }
      }
    },
  },
  {
    name: 'finds an edited question by its new words, also once the index knew the old ones',
    async run({ open }) {
      const store = await open()
      const first = await askedWith(store, { message: 'Pay the giraffe?' })
      await history(store, 140)
      await indexed(store)
      assert.deepEqual(await searched(store, { text: 'giraffe' }), [first.id])
      await store.apply(first.id, editing(first, 'Pay the elephant?'))
      for (const prepare of [async () => {}, () => indexed(store)]) {
        await prepare()
        assert.deepEqual(await searched(store, { text: 'elephant' }), [first.id])
        assert.deepEqual(await searched(store, { text: 'giraffe' }), [])
      }
    },
  },
  {
    name: 'finds no erased question, and its approval by what is left',
    async run({ open, pass }) {
      const store = await open()
      const old = await askedWith(store, { message: 'Pay the giraffe?', call: { tool: 'refund' } })
      const open_ = await askedWith(store, { message: 'Pay the elephant?' })
      await store.apply(old.id, deciding(old, undefined, 'deny'))
      await history(store, 140)
      await indexed(store)
      await pass(20)
      await store.erase(await store.now())
      for (const prepare of [async () => {}, () => indexed(store)]) {
        await prepare()
        assert.deepEqual(await searched(store, { text: 'giraffe' }), [])
        assert.ok((await searched(store, { text: 'refund' })).includes(old.id))
        assert.deepEqual(await searched(store, { text: 'elephant' }), [open_.id])
      }
    },
  },
  {
    name: 'finds what another process asked, and nothing of another tenant',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const second = await share?.(store)
      const stranger = await share?.(store, { tenant: 'other' })
      assert.ok(second && stranger)
      await history(store, 140)
      const here = await askedWith(second, { message: 'Pay the giraffe?' })
      const there = await askedWith(stranger, { message: 'Pay the giraffe?' })
      for (const prepare of [async () => {}, () => indexed(store), () => indexed(stranger)]) {
        await prepare()
        assert.deepEqual(await searched(store, { text: 'giraffe' }), [here.id])
        assert.deepEqual(await searched(stranger, { text: 'giraffe' }), [there.id])
        assert.deepEqual(await searched(stranger, { text: 'rechnung' }), [])
      }
    },
  },
]
