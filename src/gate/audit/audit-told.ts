import type { Hash } from '../../base/json/digest.ts'
import type { LoggedApproval, LoggedTelling } from '../../store/audit/audit-log.ts'
import { AuditProblem } from './audit-problem.ts'
import { createTally } from './audit-tally.ts'
import type { RowState } from './row-table.ts'

/** As much of an entry as is held against the rows. */
export interface Telling {
  readonly writer: string
  readonly seq: number
  readonly hash: string
  readonly event: { readonly [name: string]: unknown }
  readonly state: unknown
}

/**
 * What entries tell of approvals, without holding any of them: each row of an approval comes with
 * the entries that name it. That these are the entries that were verified, all of them and no
 * others, shows when everything was read. The same for uses of grants.
 */
export function createTold(hash: Hash) {
  const entries = createTally(hash)
  const uses = createTally(hash)

  return {
    /** False: some row is missing, or a use is another. */
    isEven: () => entries.isEven() && uses.isEven(),
    /** Of an entry about an approval that was found good. */
    note({ writer, seq, hash: own, event, state = null }: Telling): Promise<void> {
      const { tenant, approval, command, index, revision } = event
      const cells = [tenant, approval, command, index, revision, writer, seq, own, state]
      return entries.add(cells.map((cell) => cell ?? null))
    },
    noteUse: (use: readonly unknown[]) => uses.add(use),
    /** What the newest of its entries says of a row; undefined where none tells of it. */
    async newest(row: LoggedApproval): Promise<RowState | AuditProblem | undefined> {
      const { tenant, columns } = row
      const seen = new Set<string>()
      let newest: LoggedTelling | undefined
      for (const one of row.entries ?? []) {
        const { command, index, revision, writer, seq, hash: own, state } = one
        await entries.take([tenant, columns.id, command, index, revision, writer, seq, own, state])
        const name = JSON.stringify([command, index])
        if (seen.has(name)) {
          const place = `entry ${seq} of writer ${writer}`
          const what = `command ${String(command)} is here twice`
          return new AuditProblem('repeated_command', place, what)
        }
        seen.add(name)
        if (typeof state === 'string' && !isOlder(one, newest)) newest = one
      }
      for (const { grant, n, at } of row.uses) await uses.take([tenant, columns.id, grant, n, at])
      return newest && { revision: Number(newest.revision), state: String(newest.state) }
    },
  }
}

/** Several entries may be about one revision: the last of them counts. */
function isOlder(one: LoggedTelling, known: LoggedTelling | undefined): boolean {
  if (known === undefined) return false
  const [own, other] = [Number(one.revision), Number(known.revision)]
  return own === other ? Number(one.position) < Number(known.position) : own < other
}
