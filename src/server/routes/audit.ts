import type { Context } from 'hono'
import { CountersignError } from '../../base/errors.ts'
import type { AuditEntry } from '../../store/audit-entry.ts'
import type { AuditPage } from '../../wire/audit.ts'
import { type Route, route } from '../route.ts'
import type { Services } from '../services.ts'

/** More than this is not looked through for one page; the next page goes on from there. */
const LOOKED_THROUGH = 5_000

/** The record of everything, oldest first. What it holds are ids and codes, never arguments. */
export function auditRoutes({ store }: Services): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/audit',
      who: ['viewer', 'admin'],
      summary: 'A page of the record, oldest first. To verify it, use `countersign audit`.',
      query: {
        after: { type: 'string', description: 'next of the page before; start unless set' },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        type: { type: 'string', description: 'one or several, separated by commas' },
        approval: { type: 'string' },
        person: { type: 'string', description: 'subject of whoever did it' },
        agent: { type: 'string' },
        since: { type: 'integer', description: 'milliseconds since 1970' },
        until: { type: 'integer' },
      },
      answer: 'Entries as in the exported file, and where the next page begins.',
      async handle({ c }) {
        const matches = filterOf(c)
        const limit = readWhole(c, 'limit', { otherwise: 100, max: 500 })
        const found: AuditEntry[] = []
        let cursor = c.req.query('after') ?? 'start'
        let isEnd = false
        for (let looked = 0; found.length < limit && looked < LOOKED_THROUGH && !isEnd; ) {
          const feed = await store.eventsSince(cursor, limit - found.length)
          isEnd = feed.entries.length === 0
          looked += feed.entries.length
          cursor = feed.cursor
          found.push(...feed.entries.filter(matches))
        }
        const page: AuditPage = { entries: found, next: cursor, end: isEnd }
        return c.json(page)
      },
    }),
  ]
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
