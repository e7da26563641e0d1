import type { Approval } from '../../approval/approval.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import type { Hash } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type {
  LoggedApproval,
  LoggedGrant,
  LoggedRow,
  LoggedStray,
} from '../../store/audit/audit-log.ts'
import { type RecordState, recordStateText } from '../../store/audit/audited-records.ts'
import { columnsOf, grantColumnsOf } from '../../store/sql/row-columns.ts'
import { besideApproval, besideGrant, type RecordedUse } from './audit-beside.ts'
import { AuditProblem } from './audit-problem.ts'
import { createTold, type Telling } from './audit-told.ts'
import { RowTable } from './row-table.ts'

/** What the newest entry about a record says of it. */
interface Left {
  readonly place: string
  readonly state: string
  /** From then on a record may have been cleared away. */
  readonly expiresAt?: number
}

interface Entry extends Telling {
  readonly records: unknown
}

export interface RowStatesOptions {
  /** When the record was read, by the clock of the reader. */
  readonly at: number
  /** Only what came after is told, and only rows that are told of are here. */
  readonly after?: readonly unknown[] | undefined
  /** Holds every approval by its name, to say which of them is wrong. Else none is held. */
  readonly byName?: boolean
}

/**
 * Holds the rows of approvals, grants, what names them, and audited records against the entries. Each entry names the
 * hash of the row as it left it, in a chain that checkpoints sign. So a row needs no key of its own:
 * several servers on one database, each with its keys, write rows that all of them can verify.
 */
export function createRowStates(hash: Hash, { at, after, byName = false }: RowStatesOptions) {
  const isPart = after !== undefined
  /** Approvals, where none is held: there may be millions. */
  const unheld = isPart || byName ? undefined : createTold(hash)
  /** Grants, and approvals that are held. */
  const table = new RowTable()
  /** Records: people, locks and the like. */
  const left = new Map<string, Left>()
  /** Records that were told of, removed or not. */
  const told = new Set<string>()
  /** Uses of grants, by the name of the approval that was let through. */
  const uses = new Map<string, RecordedUse>()
  // What ended before the newest entry was over, whatever the clock of the verifier.
  let newest = at
  // Told after what is wrong with the entries themselves: they say what a row should be.
  let first: AuditProblem | undefined

  // Told last: the approval itself may be what was removed.
  let stray: AuditProblem | undefined

  async function problemOf(
    row: Exclude<LoggedRow, LoggedStray>,
  ): Promise<AuditProblem | undefined> {
    const { key, place } = nameOf(row)
    const known = await knownOf(row, key)
    left.delete(key)
    if (known instanceof AuditProblem) return known
    if (isPart && row.of === 'record' && !told.has(key)) return undefined
    if (known === undefined) return new AuditProblem('row_unknown', place, 'no entry tells of it')
    const text = row.of === 'record' ? recordStateText(row) : row.body
    const isLeft = (await hash(text)) === known.state
    if (!isLeft || (row.of !== 'record' && row.seal !== known.state)) {
      const revision = 'revision' in known ? `, of revision ${known.revision},` : ''
      return new AuditProblem('row_changed', place, `its newest entry${revision} left another row`)
    }
    if (row.of === 'record') return undefined
    const parsed: unknown = JSON.parse(row.body)
    const other = otherColumn(row, parsed)
    if (other !== undefined) {
      return new AuditProblem('row_changed', place, `its column ${other} says something else`)
    }
    if (row.of === 'grant') return besideGrant(row, parsed as Grant)
    return besideApproval(
      row,
      parsed as Approval,
      uses.get(key) ?? (isPart || unheld ? useIn(row) : undefined),
    )
  }

  async function knownOf(row: Exclude<LoggedRow, LoggedStray>, key: string) {
    if (row.of === 'record') return left.get(key)
    if (row.of === 'approval' && unheld) return unheld.newest(row)
    return table.take(await hash(key))
  }

  async function firstMissing(
    entries: () => AsyncIterable<Omit<Entry, 'hash'>>,
  ): Promise<AuditProblem> {
    for await (const { event, state } of entries()) {
      const row = rowOf(event)
      if (row === undefined || typeof state !== 'string') continue
      if (table.isWaiting(await hash(row.key))) return missing(row.place)
    }
    return missing('a row')
  }

  function noteRecord(tenant: string, state: RecordState, entry: string, then: number): void {
    const { kind, id, was, now: becomes, expiresAt } = state
    const key = JSON.stringify([tenant, 'record', kind, id])
    const place = `${kind} ${id}`
    const known = left.get(key)
    const isCleared = was === undefined && known?.expiresAt !== undefined && known.expiresAt <= then
    // What an amendment found is what the one before it left: else the row was changed in between,
    // or entries of several writers were put in another order.
    // Of the first that is told after a checkpoint, what was before is not known here.
    const isKnown = !isPart || told.has(key)
    told.add(key)
    if (isKnown && known?.state !== was && !isCleared) {
      first ??= new AuditProblem('row_changed', place, `it had been changed before ${entry}`)
    }
    if (becomes === undefined) left.delete(key)
    else {
      left.set(key, {
        place,
        state: becomes,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
    }
  }

  async function noteUse({ type, tenant, grant, at, facts }: Entry['event']): Promise<void> {
    if (type !== 'grant.used' || !isPlainObject(facts)) return
    if (unheld) return unheld.noteUse([tenant, facts.approval, grant, facts.use, at])
    const key = JSON.stringify([String(tenant), 'approval', facts.approval])
    uses.set(key, { grant: String(grant), n: Number(facts.use), at: Number(at) })
  }

  return {
    /** False: an approval that entries tell of is missing or another, and `byName` says which. */
    isEven: () => unheld?.isEven() ?? true,
    /** Of an entry that was found good. */
    async note(told: Entry, entry: string): Promise<void> {
      const { event, state, records } = told
      const tenant = String(event.tenant)
      if (typeof event.at === 'number') newest = Math.max(newest, event.at)
      if (Array.isArray(records)) {
        for (const one of records) {
          if (isRecordState(one)) noteRecord(tenant, one, entry, Number(event.at))
        }
      }
      await noteUse(event)
      if (unheld && event.approval !== undefined) return unheld.note(told)
      const row = rowOf(event)
      if (row === undefined || typeof state !== 'string') return
      table.note(await hash(row.key), { revision: Number(event.revision), state })
    },
    async take(row: LoggedRow): Promise<void> {
      if (row.of === 'stray') {
        stray ??= new AuditProblem('row_unknown', row.place, 'there is no such approval')
        return
      }
      const problem = await problemOf(row)
      first ??= problem
    },
    /** `entries`: all that were noted, once more. Read only to name a row that is missing. */
    async finish(entries: () => AsyncIterable<Omit<Entry, 'hash'>>): Promise<void> {
      if (first !== undefined) throw first
      if (table.waiting > 0) throw await firstMissing(entries)
      for (const { place, expiresAt } of left.values()) {
        if (expiresAt !== undefined && expiresAt <= newest) continue
        throw missing(place)
      }
      if (stray !== undefined) throw stray
    },
  }
}

function missing(place: string): AuditProblem {
  return new AuditProblem('row_missing', place, 'entries tell of it, and it is gone')
}

/** The approval or grant that an event is about. */
function rowOf({
  tenant,
  approval,
  grant,
}: Entry['event']): { readonly key: string; readonly place: string } | undefined {
  const [of, id] = approval === undefined ? ['grant', grant] : ['approval', approval]
  if (typeof id !== 'string') return undefined
  return { key: JSON.stringify([String(tenant), of, id]), place: `${of} ${id}` }
}

function nameOf(row: Exclude<LoggedRow, LoggedStray>): {
  readonly key: string
  readonly place: string
} {
  if (row.of === 'record') {
    const { tenant, kind, id } = row
    return { key: JSON.stringify([tenant, 'record', kind, id]), place: `${kind} ${id}` }
  }
  const { tenant, of, columns } = row
  return { key: JSON.stringify([tenant, of, columns.id]), place: `${of} ${columns.id}` }
}

/** A column that says something else than the body, which is known to be what was recorded. */
function otherColumn(row: LoggedApproval | LoggedGrant, parsed: unknown): string | undefined {
  const says = row.of === 'grant' ? grantColumnsOf(parsed as Grant) : columnsOf(parsed as Approval)
  const found: { readonly [name: string]: unknown } = row.columns
  return Object.entries(says).find(([name, value]) => found[name] !== value)?.[0]
}

/** A use that was told of before the checkpoint: the row alone says so. */
function useIn({ uses: [use] }: LoggedApproval): RecordedUse | undefined {
  return use && { grant: String(use.grant), n: Number(use.n), at: Number(use.at) }
}

function isRecordState(value: unknown): value is RecordState {
  return isPlainObject(value) && typeof value.kind === 'string' && typeof value.id === 'string'
}
