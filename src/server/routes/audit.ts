import { setImmediate as turn } from 'node:timers/promises'
import type { AuditPage, ChainState, WireAuditCall } from '../../api/audit.ts'
import type { QueryOf } from '../../api/contract.ts'
import type { ContractOf } from '../../api/contracts.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import type { AuditEntry } from '../../store/audit/audit-entry.ts'
import { type About, areRare } from '../../store/sql/feed-sql.ts'
import { download } from '../http/download.ts'
import { type Route, route } from '../http/route.ts'
import { wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** More than this is not looked through for one page; the next page goes on from there. */
const LOOKED_THROUGH = 5_000
/** Read at once while looking for what is rare. */
const STEP = 200

/** The record of everything. What it holds are ids and codes, never arguments. */
export function auditRoutes(services: Services): Route[] {
  const { store, audit, credentials } = services

  /** Tool, server and agent: enough to find a call again. Each is read once, a page at a time. */
  function callsSeen() {
    const seen = new Map<string, WireAuditCall | undefined>()
    return {
      of: ({ event }: AuditEntry) => ('approval' in event ? seen.get(event.approval) : undefined),
      async read(entries: readonly AuditEntry[]): Promise<void> {
        const named = entries.flatMap(({ event }) => ('approval' in event ? event.approval : []))
        const ids = [...new Set(named)].filter((id) => !seen.has(id))
        if (ids.length === 0) return
        for (const { id, call } of await store.getMany(ids)) {
          const { tool, server, alias, agent } = call
          const from = server === undefined ? {} : { server }
          seen.set(id, { tool, ...from, agent: alias ?? agent })
        }
      },
    }
  }

  async function peopleIn(entries: readonly AuditEntry[]): Promise<AuditPage['people']> {
    const ids = new Map(
      entries.flatMap(({ event }) =>
        'by' in event && 'person' in event.by
          ? [[JSON.stringify([event.by.person.issuer, event.by.person.subject]), event.by.person]]
          : [],
      ) as [string, { issuer: string; subject: string }][],
    )
    return Promise.all(
      [...ids.values()].map(async (id) => wirePerson(id, await credentials.accounts.get(id))),
    )
  }

  return [
    route('GET /v1/audit', async ({ query, reply }) => {
      const matches = filterOf(query)
      const { tool, order, limit = 100, after } = query
      const about = aboutOf(query)
      const calls = callsSeen()
      const newest = order === 'newest'
      const found: AuditEntry[] = []
      let cursor = after ?? (newest ? 'end' : 'start')
      let isEnd = false
      for (let looked = 0; found.length < limit && looked < LOOKED_THROUGH && !isEnd; ) {
        const many = Math.min(limit - found.length, STEP)
        const feed = newest
          ? await store.eventsBefore(cursor, many, about)
          : await store.eventsSince(cursor, many, about)
        isEnd = feed.entries.length === 0
        looked += feed.entries.length
        cursor = feed.cursor
        const fitting = feed.entries.filter(matches)
        if (tool !== undefined) await calls.read(fitting)
        found.push(
          ...fitting.filter((entry) => tool === undefined || calls.of(entry)?.tool === tool),
        )
        // Others have their turn: on SQLite a page is read without a pause.
        await turn()
      }
      await calls.read(found)
      const known: Record<string, WireAuditCall> = {}
      for (const entry of found) {
        const call = calls.of(entry)
        if (call && 'approval' in entry.event) known[entry.event.approval] = call
      }
      const people = await peopleIn(found)
      const page: AuditPage = { entries: found, next: cursor, end: isEnd, calls: known, people }
      return reply(200, page)
    }),
    route('GET /v1/audit/chain', async ({ reply }) => reply(200, await stateOf())),
    route('POST /v1/audit/chain', async ({ reply }) => {
      await whole().run()
      return reply(200, await stateOf())
    }),
    route('GET /v1/audit/export', ({ c, raw }) => {
      const file = { name: 'audit.jsonl', type: 'application/x-ndjson' }
      return raw(download(c, file, whole().lines()))
    }),
  ]

  async function stateOf(): Promise<ChainState> {
    const report = audit?.last()
    return { ...(report === undefined ? {} : { report }), now: await store.now() }
  }

  function whole() {
    if (audit) return audit
    throw new CountersignError('not_found', 'this server keeps its record in memory only', {
      hint: 'Start it on a database to verify and export what is recorded.',
    })
  }
}

type Asked = QueryOf<ContractOf<'GET /v1/audit'>>

/** As much of the filter as an index holds. */
function aboutOf({ approval, type: types, since, until }: Asked): About {
  const times = given({ since, until })
  if (approval !== undefined) return { approval, ...times }
  return types !== undefined && areRare(types) ? { types, ...times } : times
}

function filterOf(asked: Asked): (entry: AuditEntry) => boolean {
  const { type: types, approval, person, agent, since = 0, until = Number.MAX_SAFE_INTEGER } = asked
  return ({ event }) => {
    const by = 'by' in event ? event.by : undefined
    const isTheirs = (wanted: string | undefined, actual: string | undefined) =>
      wanted === undefined || wanted === actual
    return (
      (types === undefined || types.includes(event.type)) &&
      isTheirs(approval, 'approval' in event ? event.approval : undefined) &&
      isTheirs(person, by && 'person' in by ? by.person.subject : undefined) &&
      isTheirs(agent, by && 'agent' in by ? by.agent : undefined) &&
      event.at >= since &&
      event.at <= until
    )
  }
}
