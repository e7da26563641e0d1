import assert from 'node:assert/strict'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { AuditEntry } from '../../store/audit/audit-entry.ts'
import { NO_PREVIOUS, sha256 } from '../../store/audit/chain.ts'
import type { About } from '../../store/sql/feed-sql.ts'
import type { Store } from '../../store/store.ts'
import { claiming, deciding } from '../commands.ts'
import { approved, asked, refusedWith } from './expect.ts'
import type { StoreCase } from './store-case.ts'

async function everything(store: Store): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for (let cursor = 'start'; ; ) {
    const feed = await store.eventsSince(cursor, 3)
    if (feed.entries.length === 0) return entries
    entries.push(...feed.entries)
    cursor = feed.cursor
  }
}

function assertChained(entries: readonly AuditEntry[]): void {
  const heads = new Map<string, AuditEntry>()
  for (const entry of entries) {
    const { hash, ...rest } = entry
    const before = heads.get(entry.writer)
    assert.equal(entry.seq, (before?.seq ?? 0) + 1)
    assert.equal(entry.prev, before?.hash ?? NO_PREVIOUS)
    assert.equal(hash, sha256(canonicalJson({ v: 'countersign.event.v1', ...rest })))
    heads.set(entry.writer, entry)
  }
}

/** No record, no change: and the records form a chain. */
export const auditCases: readonly StoreCase[] = [
  {
    name: 'chains everything it records, from the first entry on',
    async run({ open }) {
      const store = await open()
      const first = await approved(store)
      await Promise.all([asked(store), asked(store), store.apply(first.id, claiming(first))])
      await refusedWith(
        'already_claimed',
        store.apply(first.id, deciding(first, undefined, 'deny')),
      )
      const entries = await everything(store)
      assert.equal(entries[0]?.event.type, 'chain.started')
      assert.equal(entries.length, 1 + 3 + 2 + 1 + 1)
      assertChained(entries)
    },
  },
  {
    name: 'finds the newest event that put a policy into force, whichever process wrote it',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      assert.equal(await one.newestPolicyEvent(), undefined)
      const put = (store: Store, type: 'policy.loaded' | 'policy.applied', policy: string) =>
        store.amend({
          commandId: crypto.randomUUID(),
          event: { type, by: { system: 'operator' }, facts: { policy } },
          changes: [{ kind: 'policy', id: 'active', value: { name: policy } }],
        })
      await put(one, 'policy.loaded', 'a')
      await put(two, 'policy.applied', 'b')
      await asked(one)
      const { event } = (await one.newestPolicyEvent()) ?? {}
      assert.deepEqual(event && 'facts' in event ? event.facts : undefined, { policy: 'b' })
    },
  },
  {
    name: 'goes backwards through everything it recorded, without a gap or a repetition',
    async run({ open }) {
      const store = await open()
      const first = await approved(store)
      await store.apply(first.id, claiming(first))
      await asked(store)
      const back: AuditEntry[] = []
      for (let cursor = 'end'; ; ) {
        const feed = await store.eventsBefore(cursor, 2)
        if (feed.entries.length === 0) break
        back.push(...feed.entries)
        cursor = feed.cursor
      }
      assert.deepEqual(back.toReversed(), await everything(store))
      assert.deepEqual((await store.eventsBefore('start')).entries, [])
    },
  },
  {
    name: 'finds what is recorded about one approval, and what is rare, page by page',
    async run({ open }) {
      const store = await open()
      const first = await approved(store)
      const second = await asked(store)
      await store.apply(second.id, deciding(second, undefined, 'deny'))
      const third = await asked(store)
      await store.apply(third.id, deciding(third, undefined, 'deny'))
      const all = await everything(store)
      const collect = async (about: About, isDown: boolean) => {
        const found: AuditEntry[] = []
        for (let cursor = isDown ? 'end' : 'start'; ; ) {
          const feed = isDown
            ? await store.eventsBefore(cursor, 1, about)
            : await store.eventsSince(cursor, 1, about)
          if (feed.entries.length === 0) return isDown ? found.toReversed() : found
          found.push(...feed.entries)
          cursor = feed.cursor
        }
      }
      const rare = all.filter(({ event }) => event.type === 'denied' || event.type === 'late')
      for (const isDown of [true, false]) {
        assert.deepEqual(
          await collect({ approval: first.id }, isDown),
          await store.events(first.id),
        )
        assert.deepEqual(await collect({ types: ['denied', 'late'] }, isDown), rare)
        assert.deepEqual(await collect({ types: ['lock.set'] }, isDown), [])
        // As much of it as was recorded by then, or from then on.
        const { at } = rare[0]?.event ?? { at: 0 }
        for (const about of [{ until: at }, { since: at }, { since: at, until: at }]) {
          const { since = 0, until = Number.MAX_SAFE_INTEGER } = about as About
          const isThen = ({ event }: AuditEntry) => event.at >= since && event.at <= until
          assert.deepEqual(await collect(about, isDown), all.filter(isThen))
          const types = ['denied', 'late']
          assert.deepEqual(await collect({ ...about, types }, isDown), rare.filter(isThen))
        }
        assert.deepEqual(await collect({ since: at + 1_000_000 }, isDown), [])
        assert.deepEqual(await collect({ until: at - 1_000_000 }, isDown), [])
      }
      assert.equal(rare.length, 2)
    },
  },
  {
    name: 'binds each change to the state it led to',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const last = (await store.events(approval.id)).at(-1)
      assert.equal(last?.state, sha256(JSON.stringify(approval)))
    },
  },
  {
    name: 'gives each process a chain of its own, linked to those before',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      await asked(one)
      const two = (await share?.(one)) ?? one
      await asked(two)
      const entries = await everything(one)
      assertChained(entries)
      const started = entries.find(({ writer }) => writer === two.instance)
      const head = entries.filter(({ writer }) => writer === one.instance).at(-1)
      assert.ok(started?.event.type === 'chain.started')
      assert.deepEqual(started.event.links, [
        { writer: one.instance, seq: head?.seq, hash: head?.hash },
      ])
    },
  },
  {
    name: 'writes nothing for those who only read',
    async run({ open }) {
      const store = await open()
      await store.list({})
      await store.due()
      assert.deepEqual(await store.instances(), [])
      assert.deepEqual((await store.eventsSince('start')).entries, [])
    },
  },
  {
    name: 'follows the feed from a cursor, and refuses one that is not its own',
    async run({ open }) {
      const store = await open()
      await asked(store)
      const { cursor, entries } = await store.eventsSince('end')
      assert.deepEqual(entries, [])
      const next = await asked(store)
      const news = await store.eventsSince(cursor)
      assert.deepEqual(news.entries, await store.events(next.id))
      assert.deepEqual((await store.eventsSince(news.cursor)).entries, [])
      const other = await open()
      await asked(other)
      const elsewhere = await other.eventsSince('end')
      const future = cursor.replace(/\.(\d+)/, '.$19999')
      for (const bad of ['', 'x.1', '1', elsewhere.cursor, future]) {
        await refusedWith('cursor_unknown', store.eventsSince(bad))
      }
    },
  },
]
