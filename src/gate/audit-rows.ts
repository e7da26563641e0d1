import type { Approval } from '../approval/approval.ts'
import { columnsOf, FOUND_BY } from '../store/row-columns.ts'
import { AuditProblem } from './audit-problem.ts'
import type { RowRecord } from './audit-records.ts'
import type { Hash } from './audit-verify.ts'

/** What the newest entry about an approval says of its row. */
interface Left {
  readonly revision: number
  readonly state: string
}

/**
 * Holds the rows of approvals against the entries. Each entry names the hash of the row as it left
 * it, in a chain that checkpoints sign. So a row needs no key of its own: several servers on one
 * database, each with its keys, write rows that all of them can verify.
 */
export function createRowStates(hash: Hash) {
  const left = new Map<string, Left>()
  // Told after what is wrong with the entries themselves: they say what a row should be.
  let first: AuditProblem | undefined

  async function problemOf(row: RowRecord): Promise<AuditProblem | undefined> {
    const { tenant, id, seal, body, columns, place } = row
    const key = keyOf(tenant, id)
    const known = left.get(key)
    left.delete(key)
    if (known === undefined) return new AuditProblem('row_unknown', place, 'no entry tells of it')
    if ((await hash(body)) !== known.state || seal !== known.state) {
      const newest = `its newest entry, of revision ${known.revision}, left another row`
      return new AuditProblem('row_changed', place, newest)
    }
    const says = columnsOf(JSON.parse(body) as Approval)
    const other = FOUND_BY.find((name) => columns[name] !== says[name])
    if (other === undefined) return undefined
    return new AuditProblem('row_changed', place, `its column ${other} says something else`)
  }

  return {
    /** Of an entry that was found good. */
    note(event: { readonly [name: string]: unknown }, state: unknown): void {
      const { tenant, approval, revision } = event
      if (typeof approval !== 'string' || typeof state !== 'string') return
      const key = keyOf(String(tenant), approval)
      const known = left.get(key)
      if (known !== undefined && known.revision > Number(revision)) return
      left.set(key, { revision: Number(revision), state })
    },
    async take(row: RowRecord): Promise<void> {
      const problem = await problemOf(row)
      first ??= problem
    },
    finish(): void {
      if (first !== undefined) throw first
      const [gone] = left.keys()
      if (gone === undefined) return
      const [, id] = JSON.parse(gone) as [string, string]
      throw new AuditProblem('row_missing', `approval ${id}`, 'entries tell of it, and it is gone')
    },
  }
}

function keyOf(tenant: string, id: string): string {
  return JSON.stringify([tenant, id])
}
