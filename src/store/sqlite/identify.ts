import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { HeadFile } from '../audit/head.ts'
import { type DatabaseIdentity, type Identified, judge } from '../engine/quarantine.ts'
import type { Quarantine } from '../store.ts'
import { immediately, integer, text } from './connection.ts'
import type { Statements } from './statements.ts'

/** Finds out whether the file is what it was when it was last open, and marks it if not. */
export function identify(
  db: DatabaseSync,
  sql: Statements,
  { tenant, place, head, now }: { tenant: string; place: string; head?: HeadFile; now: number },
): Identified {
  return immediately(db, () => {
    const known = readIdentity(sql) ?? create(sql, place, now)
    const heads = head ? head.read(known.database) : null
    const lost = Array.isArray(heads)
      ? heads.filter(({ writer, seq, hash }) => sql.headAt.get(writer, seq)?.hash !== hash)
      : []
    const reason = judge({
      isSamePlace: isSamePlace(known.place, place),
      isPromoted: false,
      heads,
      // The file belongs to one machine and one folder: without their head it was moved about.
      hadHead: known.hasHead,
      hasLostEvents: lost.length > 0,
    })
    if (reason !== undefined) {
      sql.quarantineAll.run(now, reason)
      sql.quarantineOne.run(tenant, now, reason)
      const database = randomUUID()
      sql.updateIdentity.run(database, place)
      return { database, quarantine: { reason, at: now, isDone: false } }
    }
    if (place.length > known.place.length) sql.setPlace.run(place)
    return { database: known.database, quarantine: readQuarantine(sql, tenant) }
  })
}

interface FileIdentity extends DatabaseIdentity {
  /** Heads of this file were once written outside of it. */
  readonly hasHead: boolean
}

function readIdentity(sql: Statements): FileIdentity | undefined {
  const row = sql.identity.get()
  return (
    row && {
      database: text(row, 'database'),
      place: text(row, 'place'),
      hasHead: row.has_head === 1,
    }
  )
}

function create(sql: Statements, place: string, now: number): FileIdentity {
  const database = randomUUID()
  sql.insertIdentity.run(database, place, now)
  return { database, place, hasHead: false }
}

function readQuarantine(sql: Statements, tenant: string): Identified['quarantine'] {
  const row = sql.quarantine.get(tenant)
  if (!row) return undefined
  const reason = text(row, 'reason') as Quarantine['reason']
  return { reason, at: integer(row, 'at'), isDone: row.done_at !== null }
}

/** `inode:12@345`: the birth after the @ is compared where both sides know it. */
function isSamePlace(one: string, two: string): boolean {
  const [inode, birth] = one.split('@')
  const [otherInode, otherBirth] = two.split('@')
  if (inode !== otherInode) return false
  return birth === undefined || otherBirth === undefined || birth === otherBirth
}
