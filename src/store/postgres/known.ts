import type { Approval } from '../../approval/approval.ts'
import { dueSteps } from '../../approval/clock.ts'
import type { Request } from '../../approval/command.ts'
import type { Load } from '../../approval/commands/caps.ts'
import type { Session, Tip } from '../audit/chain.ts'
import { HELD_NOTHING } from '../engine/constraints.ts'
import { cappedAgents, grantsOf } from '../engine/ledgers.ts'
import { type Entry, needsHeld, type Plan, plan } from '../engine/plan.ts'
import { askerColumns, HELD } from './found.ts'
import type { RecentWrites, Sealed } from './recent.ts'
import { CommitUnknown, type Fields, type Statement, textArray, type Value } from './transaction.ts'
import type { Seen, Vouch } from './vouch.ts'
import { type OwnRows, rowValues } from './write.ts'

/** Holds a plan against what is there, and writes it: all in one round trip. */
export const APPLY: Statement = {
  name: 'countersign_apply',
  text: `select now, flushed, position, hash from countersign.apply_batch($1, $2, $3, $4, $5, $6, $7,
    $8, $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::json, $22::text[],
    $23::text[])`,
}

/** A plan over what this process knows, of which the server has to say whether it is so. */
export interface KnownPlan {
  readonly planned: Plan
  /** Every approval the plan was made by, each with its seal. */
  readonly known: ReadonlyMap<string, Sealed>
}

export interface Knowledge {
  readonly session: Session
  readonly recent: Pick<RecentWrites, 'last'>
  /** Batches on their way, oldest first: a plan goes on from where they will have come. */
  readonly ahead: readonly Plan[]
  /** The server's clock, as far as it is known. */
  readonly now: number
}

/** Undefined where something has to be read first. */
export function planKnown(
  entries: readonly Entry[],
  { session, recent, ahead, now }: Knowledge,
): KnownPlan | undefined {
  // What a grant has left is counted by the one who holds its lock.
  if (grantsOf(entries).length > 0 || !entries.every(hasReadableCaps)) return undefined
  const known = new Map<string, Sealed>()
  const asked = new Set<string>()
  for (const { id, command } of entries) {
    const found = sealedIn(ahead, id) ?? recent.last(id)
    if (found) known.set(id, found)
    else if (command.type === 'request') asked.add(id)
    else if (!asked.has(id)) return undefined
  }
  if (!entries.every((entry) => isTimeless(entry, known.get(entry.id)?.approval, now))) {
    return undefined
  }
  const around = session.around(now, undefined)
  const tip: Tip = ahead.at(-1)?.tip ?? around.tip
  const approvals = [...known.values()].map(({ approval }): Approval => approval)
  const loads = new Map(cappedAgents(entries).map((agent): [string, Load] => [agent, NONE]))
  const found = { approvals, now, ...HELD_NOTHING, loads, priors: new Set<string>() }
  const planned = plan(entries, found, { ...around, tip })
  // Its events are what makes it fail behind one that failed.
  return planned.entries.length === 0 ? undefined : { planned, known }
}

/** How old a plan is at most when the server takes it: see `apply_batch`. */
const OLDEST_PLAN_MS = 500

/**
 * Whether time changes nothing for a command while its plan is on the way. The server looks at the
 * deadlines in a row; it has no escalation behind a reminder, and not the policy of today.
 */
function isTimeless({ command }: Entry, approval: Approval | undefined, now: number): boolean {
  if (!approval) return true
  const latest = now + OLDEST_PLAN_MS
  if (dueSteps(approval, latest).length !== dueSteps(approval, now).length) return false
  if (command.type !== 'claim' || approval.decidedAt === undefined) return true
  const useBy = approval.decidedAt + (command.answer?.terms?.useBy ?? 0)
  return now >= useBy || latest < useBy
}

/** Caps that say nothing would leave the questions beside them uncounted. */
function hasReadableCaps({ command }: Entry): boolean {
  if (command.type !== 'request' || command.caps === undefined) return true
  const { pending = 0, perMinute = 0 } = command.caps
  return Number.isSafeInteger(pending) && Number.isSafeInteger(perMinute)
}

/** Questions are planned as if there were room; the server is told how much that takes. */
const NONE: Load = { pending: 0, lately: 0 }

function sealedIn(ahead: readonly Plan[], id: string): Sealed | undefined {
  for (const { writes } of ahead.toReversed()) {
    const write = writes.find(({ after }) => after.id === id)
    if (write) return { approval: write.after, seal: write.row.seal }
  }
  return undefined
}

export function applyValues(
  tenant: string,
  entries: readonly Entry[],
  { planned, known }: KnownPlan,
  own: OwnRows,
  expected: NonNullable<ReturnType<Vouch['expected']>>,
): Value[] {
  const { database, server, timeline, flushed, position, hash } = expected
  const ids = [...known.keys()].sort()
  const callers = entries.flatMap(askerColumns)
  const caps = roomsOf(entries)
  return [
    tenant,
    database,
    server,
    timeline,
    flushed,
    position,
    hash,
    planned.now,
    ids.length === 0 ? null : textArray(ids),
    ids.length === 0 ? null : textArray(ids.map((id) => known.get(id)?.seal ?? null)),
    callers.length === 0 ? null : textArray(callers),
    needsHeld(entries) ? HELD : null,
    caps.length === 0 ? null : textArray(caps),
    ...rowValues(planned, own),
  ]
}

/** How many questions an agent may have asked for all those of the batch to have room. */
function roomsOf(entries: readonly Entry[]) {
  const requests = entries
    .map(({ command }) => command)
    .filter((command): command is Request => command.type === 'request')
  return cappedAgents(entries).flatMap((agent) => {
    const own = requests.filter(({ call }) => call?.agent === agent)
    const room = (cap: 'pending' | 'perMinute') => {
      const caps = own.flatMap((request) => request.caps?.[cap] ?? [])
      return caps.length === 0 ? null : Math.min(...caps) - own.length
    }
    return [agent, room('pending'), room('perMinute')]
  })
}

/** What the server saw when it wrote; undefined when something was not as planned. */
export function readApplied(
  rows: readonly Fields[],
): (Seen & { readonly now: number }) | undefined {
  const [row] = rows
  if (row === undefined) return undefined
  const [now, flushed, position, hash] = row
  const seen = { now: Number(now), flushed: Number(flushed), position: Number(position) }
  if (!Object.values(seen).every(Number.isSafeInteger) || typeof hash !== 'string') {
    throw new CommitUnknown('a batch was written, and its answer makes no sense')
  }
  return { ...seen, hash }
}
