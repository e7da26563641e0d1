import { setImmediate as turn } from 'node:timers/promises'
import type { ApprovalRow } from '../../api/approval.ts'
import { csvLine as csvOf } from '../../base/csv.ts'
import type { Filter } from '../../store/store.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { approvalPage } from '../read-approvals.ts'
import type { Services } from '../services.ts'

/** The fields of an exported line, in the order of the columns. */
const FIELDS: readonly (readonly [string, (row: ApprovalRow) => string | undefined])[] = [
  ['id', ({ id }) => id],
  ['asked_at', ({ askedAt }) => isoOf(askedAt)],
  ['decided_at', ({ decidedAt }) => isoOf(decidedAt)],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason],
  ['execution', ({ execution }) => execution],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['question', ({ message }) => message],
  ['risk', ({ risk }) => risk],
  ['risk_guessed', ({ riskGuessed }) => (riskGuessed ? 'yes' : undefined)],
  ['agent', ({ agent }) => agent],
  ['for', ({ principal }) => principal],
  ['by', ({ by }) => by?.join(' ')],
  ['by_grant', ({ byGrant }) => (byGrant ? 'yes' : undefined)],
  ['edited', ({ isEdited }) => (isEdited ? 'yes' : undefined)],
  ['run', ({ run }) => run],
  ['digest', ({ digest }) => digest],
]

function isoOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

export const CSV_HEAD = csvOf(FIELDS.map(([name]) => name))

export function csvLine(row: ApprovalRow): string {
  return csvOf(FIELDS.map(([, read]) => read(row)))
}

export function jsonLine(row: ApprovalRow): string {
  const known = FIELDS.flatMap(([name, read]) => {
    const value = read(row)
    return value === undefined ? [] : [[name, value]]
  })
  return `${JSON.stringify(Object.fromEntries(known))}\n`
}

const STEP = 250

/** Everything that a filter finds, newest first and as the reader sees it: masked, page by page. */
export async function* exportedRows(
  services: Services,
  filter: Filter,
  person: PersonCaller['person'],
): AsyncGenerator<readonly ApprovalRow[]> {
  let after: string | undefined
  do {
    const page = {
      order: 'newest',
      limit: STEP,
      ...(after === undefined ? {} : { after }),
    } as const
    const { approvals, next } = await approvalPage(services, { filter, page }, person)
    yield approvals
    after = next
    await turn()
  } while (after !== undefined)
}
