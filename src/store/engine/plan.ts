import { randomUUID } from 'node:crypto'
import type { Approval } from '../../approval/approval.ts'
import { MAX_CLOCK_LAG } from '../../approval/clock.ts'
import type { Command } from '../../approval/command.ts'
import type { Load } from '../../approval/commands/caps.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import type { GrantCommand } from '../../approval/grants/grant-command.ts'
import { heldGrant, holdOn } from '../../approval/holds/hold.ts'
import { markSender } from '../../approval/locks/locked-people.ts'
import { standingNowIn, step } from '../../approval/step.ts'
import {
  type Content,
  type NoticeDraft,
  noticesOf,
  type Transition,
} from '../../approval/transition.ts'
import { CountersignError, type ErrorCode } from '../../base/errors.ts'
import type { AuditEntry, SealedEntry } from '../audit/audit-entry.ts'
import {
  type Circumstances,
  isApprovalEvent,
  type Recordable,
  seal,
  sealContent,
  type Tip,
} from '../audit/chain.ts'
import type { StoredUse } from '../grants.ts'
import { isJoinable } from '../sql/row-columns.ts'
import { type ApprovalRow, toRow } from '../sql/rows.ts'
import type { AnyCommand, Applied } from '../store.ts'
import type { Held } from './constraints.ts'
import { GrantLedger, type GrantWrite, isGrantCommand, Loads } from './ledgers.ts'

/** A command on its way into the store. */
export interface Entry {
  /** Of the approval, or of the grant. */
  readonly id: string
  readonly command: AnyCommand
  /** A request that is only to be asked if nothing decided or granted before concerns it. */
  readonly looksFirst?: boolean
  readonly resolve: (settled: Settled) => void
  readonly reject: (error: unknown) => void
}

type ApprovalEntry = Entry & { readonly command: Command }

/** What a command did: to an approval, or to a grant. `prior`: nothing, because it looked first. */
export type Settled = Applied | { readonly grant: Grant } | { readonly prior: true }

/**
 * What a backend found under its locks, before anything is decided. What people locked and who
 * stands in for whom is read like the clock, and needed where `needsHeld` says so.
 */
export interface Found extends Held {
  /** Every approval the entries could touch: by id, by identity and by joining. */
  readonly approvals: readonly Approval[]
  /** Every grant that the entries name. */
  readonly grants?: readonly Grant[]
  /** Entries recorded earlier under the same command ids; looked up only when one was sent twice. */
  readonly earlier?: readonly AuditEntry[]
  /** The store's clock, read after the rows were locked. */
  readonly now: number
  /** Ids of requests that look first, and have a denial in their run or a grant to look at. */
  readonly priors?: ReadonlySet<string>
  /** What those of `cappedAgents` have asked already. */
  readonly loads?: ReadonlyMap<string, Load>
}

/** Whether a lock could hold one of these back, or a stand-in could let one through. */
export function needsHeld(entries: readonly Entry[]): boolean {
  return entries.some(({ command }) => command.type !== 'renew' && command.type !== 'finish')
}

export interface Write {
  readonly before: Approval | undefined
  readonly after: Approval
  readonly row: ApprovalRow
}

export interface StoredContent extends Content {
  readonly approval: string
  readonly salt: string
  /** The value as JSON. */
  readonly text: string
}

/** What one transaction writes, and what to say when it is durable. */
export interface Plan {
  readonly now: number
  readonly writes: readonly Write[]
  readonly entries: readonly SealedEntry[]
  readonly content: readonly StoredContent[]
  readonly grants: readonly GrantWrite[]
  readonly uses: readonly StoredUse[]
  /** What people should hear of, for each channel that is open. */
  readonly notices: readonly NoticeDraft[]
  readonly tip: Tip
  readonly outcomes: readonly Outcome[]
  /** Entries that must see this batch committed first. */
  readonly again: readonly Entry[]
}

export type Answer = { readonly applied: Settled } | { readonly error: CountersignError }

export type Outcome = Answer & { readonly entry: Entry }

/** Who asks for what, as far as it recognises a call that was asked for before. */
export interface Caller {
  readonly agent: string
  readonly run: string
  readonly key: string | undefined
  readonly digest: string
}

/** Undefined for everything that joins nothing. What is not even a request is refused by its step. */
export function callerOf(command: AnyCommand): Caller | undefined {
  if (command.type !== 'request') return undefined
  const { agent, run, key } = command.call ?? {}
  const texts = [agent, run, key ?? '', command.digest].every((one) => typeof one === 'string')
  return texts ? ({ agent, run, key, digest: command.digest } as Caller) : undefined
}

/** A call of a run is recognised by its key, and without one by its digest while that is open. */
export function identityOf({ agent, run, key, digest }: Caller): string {
  return JSON.stringify(
    key === undefined ? ['digest', agent, run, digest] : ['key', agent, run, key],
  )
}

export function nameOf({ call, askedDigest }: Approval): string | undefined {
  const { agent, run, key } = call
  return run === undefined ? undefined : identityOf({ agent, run, key, digest: askedDigest })
}

/**
 * N pure steps over what the locks hold. An approval changes at most once per transaction: a second
 * change waits for the next one, while refusals are answered at once.
 */
export function plan(entries: readonly Entry[], found: Found, around: Circumstances): Plan {
  const asks = entries.some(({ command }) => command.type === 'request')
  const batch = new Batch(found, around, asks)
  for (const entry of entries) batch.run(entry)
  return batch.finish()
}

class Batch {
  readonly #found: Found
  readonly #around: Circumstances
  readonly #current = new Map<string, Approval>()
  readonly #byIdentity = new Map<string, Approval>()
  readonly #writes = new Map<string, Write>()
  readonly #waiting = new Set<string>()
  readonly #entries: SealedEntry[] = []
  readonly #content: StoredContent[] = []
  readonly #grants: GrantLedger
  readonly #loads: Loads
  readonly #notices: NoticeDraft[] = []
  readonly #outcomes: Outcome[] = []
  readonly #again: Entry[] = []
  /** Whether the batch has a request: only requests need identities. */
  readonly #asks: boolean
  #tip: Tip

  constructor(found: Found, around: Circumstances, asks: boolean) {
    this.#found = found
    this.#around = around
    this.#asks = asks
    this.#tip = around.tip
    this.#loads = new Loads(found.loads)
    for (const approval of found.approvals) this.#keep(approval)
    this.#grants = new GrantLedger(found.grants ?? [], found.now, (event, state) => {
      this.#record({ event, state })
    })
    if (around.opening) this.#record({ event: around.opening })
  }

  run(entry: Entry): void {
    const { command } = entry
    const refusal = this.#refuseAtOnce(command)
    if (refusal) {
      this.#outcomes.push({ entry, error: refusal })
      return
    }
    if (isGrantCommand(command)) {
      this.#outcomes.push({ entry, ...this.#changeGrant(entry.id, command) })
      return
    }
    const earlier = this.#sentBefore(command)
    if (earlier) {
      this.#outcomes.push({ entry, ...earlier })
      return
    }
    const caller = callerOf(command)
    const like = caller && this.#byIdentity.get(identityOf(caller))
    const isKnown = like !== undefined && caller?.key !== undefined
    if (entry.looksFirst && !isKnown && this.#found.priors?.has(entry.id) !== false) {
      this.#outcomes.push({ entry, applied: { prior: true } })
      return
    }
    this.#settle(entry as ApprovalEntry, like ?? this.#current.get(entry.id))
  }

  finish(): Plan {
    return {
      now: this.#found.now,
      writes: [...this.#writes.values()],
      entries: this.#entries,
      content: this.#content,
      grants: this.#grants.writes,
      uses: this.#grants.uses,
      notices: this.#notices,
      tip: this.#tip,
      outcomes: this.#outcomes,
      again: this.#again,
    }
  }

  #refuseAtOnce(command: AnyCommand): CountersignError | undefined {
    const { type } = command
    if ((type === 'request' || type === 'mint') && command.tenant !== this.#around.tenant) {
      return new CountersignError('invalid_command', `the ${type} is for another tenant`)
    }
    const decides =
      type === 'decide' ||
      type === 'claim' ||
      type === 'mint' ||
      (type === 'request' && command.grant !== undefined)
    if (!decides || this.#found.now >= this.#around.newest - MAX_CLOCK_LAG) return undefined
    return new CountersignError('clock_behind', 'the clock is behind what was already recorded', {
      hint: `Set the clock of the machine that holds the database. If it was right and once ran ahead, decisions go on by themselves from ${new Date(this.#around.newest - MAX_CLOCK_LAG).toISOString()}.`,
    })
  }

  #changeGrant(id: string, command: GrantCommand): Answer {
    const { locks, standIns, holds, now } = this.#found
    const held = command.type === 'erase' && this.#grants.find(id)
    if (held && holdOn(holds, heldGrant(held))) {
      return { error: new CountersignError('on_hold', `grant ${id} is under a legal hold`) }
    }
    const sent = standingNowIn(command, standIns, now)
    const done = this.#grants.change(id, markSender(sent, locks, now))
    return done.ok
      ? { applied: { grant: done.grant } }
      : { error: new CountersignError(done.code, done.message) }
  }

  #settle(entry: ApprovalEntry, before: Approval | undefined): void {
    const { command } = entry
    const { now, locks, standIns } = this.#found
    const grant = this.#grants.of(entry)
    const load = command.type === 'request' ? this.#loads.of(command.call?.agent) : undefined
    const transition = step(before, command, now, { grant, locks, standIns, load })
    // The same call again, after the earlier one ended: a call of its own, with a new approval.
    const isNew = !transition.ok && transition.code === 'not_joinable' && before?.id !== entry.id
    if (!isNew) {
      this.#acceptWithGrant(entry, before, transition)
      return
    }
    if (transition.approval !== undefined && !this.#write(entry, before, transition.approval))
      return
    this.#recordAll(transition, [])
    this.#settle(entry, this.#current.get(entry.id))
  }

  /** The change of an approval and what it does to a grant: both, or neither. */
  #acceptWithGrant(
    entry: ApprovalEntry,
    before: Approval | undefined,
    transition: Transition,
  ): void {
    const { command } = entry
    if (!transition.ok || !('grant' in command) || command.grant === undefined) {
      this.#accept(entry, before, transition)
      return
    }
    if (command.type === 'decide') {
      const { standIns, now } = this.#found
      const sent = standingNowIn(command, standIns, now)
      const minted = this.#grants.minted(sent, transition.approval)
      if (!minted.ok) {
        const error = refused(minted.code, minted.message, before)
        this.#outcomes.push({ entry, error })
      } else if (this.#accept(entry, before, transition)) this.#grants.keep(minted)
      return
    }
    const isAccepted = this.#accept(entry, before, transition)
    if (isAccepted && command.type === 'request' && before === undefined) {
      this.#grants.spend(command)
    }
  }

  /** False when it has to wait for the next batch. */
  #accept(entry: ApprovalEntry, before: Approval | undefined, transition: Transition): boolean {
    const after = transition.approval ?? before
    const changed = after !== undefined && after.revision !== before?.revision
    if (changed && !this.#write(entry, before, after)) return false
    if (this.#waiting.has(before?.id ?? entry.id)) {
      this.#again.push(entry)
      return false
    }
    const events = this.#recordAll(transition, transition.ok ? transition.content : [])
    if (transition.ok) {
      const { approval } = transition
      const joined = entry.command.type === 'request' && before !== undefined
      this.#outcomes.push({ entry, applied: { approval, joined, events } })
      return true
    }
    this.#outcomes.push({ entry, error: refused(transition.code, transition.message, after) })
    return true
  }

  /** A command whose acknowledgement was lost is sent again: it has had its effect, and has no other. */
  #sentBefore({ commandId }: Command): Answer | undefined {
    const events = (this.#found.earlier ?? []).filter(
      ({ event }) => isApprovalEvent(event) && event.command === commandId,
    )
    // A request can have closed an approval that it did not join; its own events come last.
    const last = events.at(-1)
    if (last === undefined || !isApprovalEvent(last.event)) return undefined
    const approval = this.#current.get(last.event.approval)
    if (last.refused !== undefined) {
      return { error: refused(last.refused, 'this command was refused before', approval) }
    }
    if (approval === undefined) return undefined
    return { applied: { approval, joined: false, events } }
  }

  /** False when the approval changed in this batch already: the entry waits for the next. */
  #write(entry: Entry, before: Approval | undefined, after: Approval): boolean {
    if (this.#writes.has(after.id) || this.#waiting.has(after.id)) {
      this.#waiting.add(after.id)
      this.#again.push(entry)
      return false
    }
    if (before === undefined) this.#loads.add(after)
    this.#writes.set(after.id, { before, after, row: toRow(after) })
    this.#keep(after)
    return true
  }

  #keep(approval: Approval): void {
    this.#current.set(approval.id, approval)
    const identity = this.#asks ? nameOf(approval) : undefined
    if (identity === undefined) return
    if (approval.call.key !== undefined || isJoinable(approval)) {
      this.#byIdentity.set(identity, approval)
    } else if (this.#byIdentity.get(identity)?.id === approval.id) {
      this.#byIdentity.delete(identity)
    }
  }

  #recordAll(transition: Transition, content: readonly Content[]): AuditEntry[] {
    const seals = new Map<string, string>()
    for (const { key, kind, value } of content) {
      const salt = randomUUID()
      const approval = transition.approval?.id ?? ''
      this.#content.push({ key, kind, value, text: JSON.stringify(value), salt, approval })
      seals.set(key, sealContent({ key, kind, value }, salt))
    }
    this.#notices.push(...noticesOf(transition.approval, transition.events))
    const state = transition.approval && this.#writes.get(transition.approval.id)?.row.seal
    return transition.events.map((event) => {
      const record: { -readonly [K in keyof Recordable]: Recordable[K] } = { event }
      if (!transition.ok) record.refused = transition.code
      if (state !== undefined) record.state = state
      if (event.content !== undefined) {
        record.seals = Object.fromEntries(event.content.map((key) => [key, seals.get(key) ?? '']))
      }
      return this.#record(record)
    })
  }

  #record(record: Recordable): AuditEntry {
    const { entry, body, tip } = seal(this.#tip, record)
    this.#tip = tip
    this.#entries.push({ entry, body })
    return entry
  }
}

function refused(
  code: ErrorCode,
  message: string,
  approval: Approval | undefined,
): CountersignError {
  if (approval === undefined) return new CountersignError(code, message)
  const { id, status, revision } = approval
  return new CountersignError(code, message, { details: { id, status, revision } })
}
