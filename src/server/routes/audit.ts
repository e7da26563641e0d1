import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import { CountersignError } from '../../base/errors.ts'
import type { AuditEntry } from '../../store/audit/audit-entry.ts'
import type { AuditPage, ChainState, WireAuditCall } from '../../wire/audit.ts'
import { type Route, route } from '../http/route.ts'
import { wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** More than this is not looked through for one page; the next page goes on from there. */
const LOOKED_THROUGH = 5_000
/** Read at once while looking for what is rare. */
const STEP = 200

const READERS = ['viewer', 'admin'] as const

/** The record of everything. What it holds are ids and codes, never arguments. */
export function auditRoutes(services: Services): Route[] {
  const { store, audit, credentials } = services

  /** Tool, server and agent: enough to find a call again. */
  function callsSeen() {
    const seen = new Map<string, WireAuditCall | undefined>()
    return async (id: string): Promise<WireAuditCall | undefined> => {
      if (!seen.has(id)) {
        const call = (await store.get(id))?.call
        seen.set(
          id,
          call && {
            tool: call.tool,
            ...(call.server === undefined ? {} : { server: call.server }),
            agent: call.alias ?? call.agent,
          },
        )
      }
      return seen.get(id)
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
    route({
      method: 'get',
      path: '/v1/audit',
      who: READERS,
      summary: 'A page of the record. To verify it without this server, use `countersign audit`.',
      query: {
        after: { type: 'string', description: 'next of the page before, in the same order' },
        order: { type: 'string', enum: ['oldest', 'newest'], description: 'oldest unless set' },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        type: { type: 'string', description: 'one or several, separated by commas' },
        approval: { type: 'string' },
        person: { type: 'string', description: 'subject of the person who did it' },
        agent: { type: 'string' },
        tool: { type: 'string', description: 'of the call that it is about' },
        since: { type: 'integer', description: 'milliseconds since 1970' },
        until: { type: 'integer' },
      },
      answer: 'Entries as in the exported file, whom and what they name, and the next page.',
      async handle({ c }) {
        const matches = filterOf(c)
        const tool = c.req.query('tool')
        const callOf = callsSeen()
        const isAbout = async ({ event }: AuditEntry) =>
          tool === undefined ||
          ('approval' in event && (await callOf(event.approval))?.tool === tool)
        const newest = readOrder(c) === 'newest'
        const limit = readWhole(c, 'limit', { otherwise: 100, max: 500 })
        const found: AuditEntry[] = []
        let cursor = c.req.query('after') ?? (newest ? 'end' : 'start')
        let isEnd = false
        for (let looked = 0; found.length < limit && looked < LOOKED_THROUGH && !isEnd; ) {
          const many = Math.min(limit - found.length, STEP)
          const feed = newest
            ? await store.eventsBefore(cursor, many)
            : await store.eventsSince(cursor, many)
          isEnd = feed.entries.length === 0
          looked += feed.entries.length
          cursor = feed.cursor
          for (const entry of feed.entries) {
            if (matches(entry) && (await isAbout(entry))) found.push(entry)
          }
        }
        const calls: Record<string, WireAuditCall> = {}
        for (const { event } of found) {
          const call = 'approval' in event ? await callOf(event.approval) : undefined
          if (call && 'approval' in event) calls[event.approval] = call
        }
        const people = await peopleIn(found)
        const page: AuditPage = { entries: found, next: cursor, end: isEnd, calls, people }
        return c.json(page)
      },
    }),
    route({
      method: 'get',
      path: '/v1/audit/chain',
      who: READERS,
      summary: 'What the last check of the whole record found.',
      answer: 'A report, where there was a check.',
      handle: async ({ c }) => c.json(await stateOf()),
    }),
    route({
      method: 'post',
      path: '/v1/audit/chain',
      who: READERS,
      summary: 'Check the whole record now: every hash, chain, link and signed checkpoint.',
      answer: 'A report.',
      async handle({ c }) {
        await whole().run()
        return c.json(await stateOf())
      },
    }),
    route({
      method: 'get',
      path: '/v1/audit/export',
      who: READERS,
      summary: 'The record of this tenant as a file that anyone can verify; without content.',
      answer: 'JSON Lines.',
      handle({ c }) {
        const lines = whole().lines()
        c.header('content-type', 'application/x-ndjson')
        c.header('content-disposition', 'attachment; filename="audit.jsonl"')
        return stream(c, async (out) => {
          out.onAbort(() => void lines.return(undefined))
          for await (const line of lines) await out.write(line)
        })
      },
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

function readOrder(c: Context): 'oldest' | 'newest' {
  const order = c.req.query('order') ?? 'oldest'
  if (order === 'oldest' || order === 'newest') return order
  throw new CountersignError('invalid_value', 'order is neither oldest nor newest')
}

function filterOf(c: Context): (entry: AuditEntry) => boolean {
  const types = c.req.query('type')?.split(',')
  const [approval, person, agent] = ['approval', 'person', 'agent'].map((name) => c.req.query(name))
  const max = Number.MAX_SAFE_INTEGER
  const since = readWhole(c, 'since', { otherwise: 0, max })
  const until = readWhole(c, 'until', { otherwise: max, max })
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

function readWhole(
  c: Context,
  name: string,
  { otherwise, max }: { readonly otherwise: number; readonly max: number },
): number {
  const text = c.req.query(name)
  if (text === undefined) return otherwise
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value <= max && (name !== 'limit' || value > 0)) return value
  throw new CountersignError('invalid_value', `${name} is no whole number up to ${max}`)
}
