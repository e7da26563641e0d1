import type { Approval } from '../../approval/approval.ts'
import type { Load } from '../../approval/commands/caps.ts'
import { CountersignError } from '../../base/errors.ts'
import type { AuditEntry, Head } from '../audit/audit-entry.ts'
import { readEntry } from '../audit/chain.ts'
import { type HeldRow, heldOf } from '../engine/constraints.ts'
import { cappedAgents, grantsOf } from '../engine/ledgers.ts'
import { type Caller, callerOf, type Entry, type Found, needsHeld } from '../engine/plan.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { LOCK_RECORD } from '../records/lock-record.ts'
import { STAND_IN_RECORD } from '../records/stand-in-record.ts'
import { fromBody, fromGrantBody } from '../sql/rows.ts'
import { numberOf, type Row, textOf } from './connect.ts'
import type { RecentWrites } from './recent.ts'
import { type Fields, type Statement, textArray, type Value } from './transaction.ts'
import { VOUCH } from './vouch.ts'

export function readApproval(row: Row): Approval {
  return fromBody(textOf(row, 'id'), textOf(row, 'body'), textOf(row, 'seal'))
}

export function readAuditRow(row: Row): AuditEntry {
  return readEntry(textOf(row, 'body'), textOf(row, 'hash'))
}

export function readHead(row: Row): Head {
  return { writer: textOf(row, 'writer'), seq: numberOf(row, 'seq'), hash: textOf(row, 'hash') }
}

/** Locks and reads everything that a batch needs; `VOUCH` has the first five values. */
export const OPEN: Statement = {
  name: 'countersign_open',
  text: `
    select 'vouch' as kind, null as id, row_to_json(v)::text as body, null as seal from (${VOUCH}) v
    union all
    select kind, id, body, seal from countersign.open_batch($6, $7::text[], $8::json, $9::text[],
      $10::text[], $11::text[], $12::json, $13, $14::boolean, $15::boolean)`,
}

export interface Asking {
  readonly tenant: string
  readonly instance: string
  readonly entries: readonly Entry[]
  /** Traces of the same commands are wanted, because one of them may have been sent before. */
  readonly alone: boolean
  /** The end of our own chain is wanted. */
  readonly head: boolean
  /** Heads of the other chains are wanted. */
  readonly links: boolean
}

/** What holds commands back, or lets them through. */
export const HELD = textArray([LOCK_RECORD, STAND_IN_RECORD])
/** With what must not be erased: no other command goes by it. */
const READ_HELD = textArray([LOCK_RECORD, STAND_IN_RECORD, HOLD_RECORD])

export function openValues({ tenant, instance, entries, alone, head, links }: Asking): Value[] {
  const callers = entries.flatMap(asker)
  const commands = entries.map(({ id, command }) => ({ approval: id, command: command.commandId }))
  return [
    tenant,
    textArray([...new Set(entries.map(({ id }) => id))]),
    listed(callers),
    texts(grantsOf(entries)),
    needsHeld(entries) ? READ_HELD : null,
    texts(cappedAgents(entries)),
    alone ? listed(commands) : null,
    instance,
    head,
    links,
  ]
}

/** Whom to look for: the approval that a request joins, and what one that looks first has to know. */
function asker({ id, command, looksFirst }: Entry): readonly Asker[] {
  const caller = callerOf(command)
  if (!looksFirst || command.type !== 'request') return caller ? [caller] : []
  const { agent, tool, server } = command.call ?? {}
  return [{ ...caller, looks: id, agent, tool, server }]
}

interface Asker extends Partial<Caller> {
  readonly looks?: string
  readonly tool?: string | undefined
  readonly server?: string | undefined
}

/** The same, column after column. */
export function askerColumns(entry: Entry): (string | null)[] {
  return asker(entry).flatMap(({ agent, run, key, digest, looks, tool, server }) =>
    [agent, run, key, digest, looks, tool, server].map((one) => one ?? null),
  )
}

function listed(rows: readonly unknown[]): string | null {
  return rows.length === 0 ? null : JSON.stringify(rows)
}

function texts(all: readonly string[]): Buffer | null {
  return all.length === 0 ? null : textArray(all)
}

/** What the locks hold, and what else the statement brought. */
export interface Opened {
  readonly vouched: Row
  readonly found: Found
  readonly own: Head | undefined
  readonly links: readonly Head[]
}

export function readOpened(
  rows: readonly Fields[],
  alone: boolean,
  recent: Pick<RecentWrites, 'same'>,
): Opened {
  const of = (kind: string) => rows.filter(([one]) => one === kind)
  const [vouched] = of('vouch').map(([, , body]) => JSON.parse(text(body)) as Row)
  const [now] = of('now').map(([, , at]) => whole(at))
  if (vouched === undefined || now === undefined) {
    throw new CountersignError('store_damaged', 'the database answered without a row')
  }
  const [own] = of('own').map(headOf)
  const loads = of('load').map(([, agent, pending, lately]): [string, Load] => [
    text(agent),
    { pending: whole(pending), lately: whole(lately) },
  ])
  const earlier = of('earlier').map(([, , body, hash]) => readEntry(text(body), text(hash)))
  return {
    vouched,
    own,
    links: of('link').map(headOf),
    found: {
      approvals: of('approval').map(
        ([, id, body, seal]) =>
          recent.same(text(id), text(body)) ?? fromBody(text(id), text(body), text(seal)),
      ),
      grants: of('grant').map(([, id, body, seal]) =>
        fromGrantBody(text(id), text(body), text(seal)),
      ),
      now,
      ...heldOf(
        [LOCK_RECORD, STAND_IN_RECORD, HOLD_RECORD].flatMap((kind) => of(kind).map(heldRow)),
      ),
      loads: new Map(loads),
      priors: new Set(of('prior').map(([, id]) => text(id))),
      ...(alone ? { earlier } : {}),
    },
  }
}

function heldRow([kind, id, value]: Fields): HeldRow {
  return { kind: text(kind), id: text(id), value: JSON.parse(text(value)) as unknown }
}

function headOf([, writer, seq, hash]: Fields): Head {
  return { writer: text(writer), seq: whole(seq), hash: text(hash) }
}

function text(value: string | null | undefined): string {
  return textOf({ value }, 'value')
}

function whole(value: string | null | undefined): number {
  return numberOf({ value: value ?? undefined }, 'value')
}
