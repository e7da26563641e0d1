import type { Approval } from '../../approval/approval.ts'
import { LATELY_MS, type Load } from '../../approval/commands/caps.ts'
import type { Content } from '../../approval/transition.ts'
import type { Held } from '../engine/constraints.ts'
import type { Plan, StoredContent, Write } from '../engine/plan.ts'
import type { Recent as RecentWrite } from '../store.ts'
import { dataVersion } from './connection.ts'
import type { Statements } from './statements.ts'

const APPROVALS_KEPT = 1_000
const AGENTS_KEPT = 1_000
/** Content of one approval that is remembered with it, in characters. */
const CONTENT_KEPT = 16_384

/** How many questions of an agent were asked at one moment, and how many of those still wait. */
export interface AskedAt {
  readonly at: number
  readonly asked: number
  readonly pending: number
}

/**
 * What this process wrote or read last, so that it need not be read, parsed and counted again. All
 * of it is used inside a transaction and holds only while no other connection has committed:
 * SQLite's `data_version` says so.
 */
export interface Recent {
  /** First in every transaction. Whatever another connection wrote is not known here. */
  begin(): void
  /** The approval, if the database still holds what we wrote: by its version, or by its seal. */
  approval(id: string, readSeal: () => unknown): Approval | undefined
  /** The same outside of a transaction, where only its seal says so. */
  sealed(id: string, readSeal: () => unknown): Approval | undefined
  /** What this process wrote last, with its content, if no other connection has committed since. */
  unchanged(id: string): RecentWrite | undefined
  held(read: () => Held): Held
  load(agent: string, now: number, count: (since: number) => readonly AskedAt[]): Load
  committed(plan: Plan): void
  /** This connection itself wrote records. */
  forgetHeld(): void
  /** This connection itself erased content. */
  forgetContent(): void
}

interface Kept {
  readonly approval: Approval
  readonly seal: string
  /** As it was written; undefined where it is not known, or too long to be kept. */
  content: readonly StoredContent[] | undefined
  /** When it was last known to be in the database. */
  epoch: number
}

export function createRecent(sql: Pick<Statements, 'dataVersion'>): Recent {
  const approvals = new Map<string, Kept>()
  const agents = new Map<string, AgentLoad>()
  let version: number | undefined
  /** Counts what other connections wrote: what was kept before that is compared by its seal. */
  let epoch = 0
  /** The last transaction is known to be committed, and all it did is known here. */
  let isSettled = false
  let held: Held | undefined

  function note({ before, after }: Write): void {
    // A call that a grant covers asks no question.
    if (after.grant !== undefined) return
    const load = agents.get(after.call.agent)
    if (!load) return
    if (before === undefined) load.add(after.askedAt)
    load.pending += Number(after.status === 'pending') - Number(before?.status === 'pending')
  }

  function contentAfter(
    { before, after }: Write,
    added: readonly StoredContent[],
  ): readonly StoredContent[] | undefined {
    const known = before === undefined ? [] : knownBefore(before)
    if (known === undefined || added.length === 0) return known
    // A call that is over runs no more.
    if (after.execution && after.execution.state !== 'running') return undefined
    const all = [...known, ...added]
    const length = all.reduce((sum, { text }) => sum + text.length, 0)
    return length > CONTENT_KEPT ? undefined : all
  }

  function knownBefore(before: Approval): readonly StoredContent[] | undefined {
    const found = approvals.get(before.id)
    return found?.approval === before ? found.content : undefined
  }

  return {
    begin() {
      const now = dataVersion(sql)
      const isSame = isSettled && now === version
      isSettled = false
      version = now
      if (isSame) return
      epoch += 1
      agents.clear()
      held = undefined
    },
    approval(id, readSeal) {
      const found = approvals.get(id)
      if (!found) return undefined
      if (found.epoch === epoch) return found.approval
      if (readSeal() !== found.seal) return undefined
      found.epoch = epoch
      // The seal says nothing of it: the other connection may have erased it.
      found.content = undefined
      return found.approval
    },
    sealed(id, readSeal) {
      const found = approvals.get(id)
      return found && readSeal() === found.seal ? found.approval : undefined
    },
    unchanged(id) {
      const found = approvals.get(id)
      if (found?.epoch !== epoch || !isSettled || dataVersion(sql) !== version) return undefined
      return new Unchanged(found)
    },
    held(read) {
      held ??= read()
      return held
    },
    load(agent, now, count) {
      const since = now - LATELY_MS
      const known = agents.get(agent)
      if (known?.covers(since)) return known.at(since)
      const load = new AgentLoad(since, count(since))
      keep(agents, agent, load, AGENTS_KEPT)
      return load.at(since)
    },
    committed(plan) {
      isSettled = true
      const added = Map.groupBy(plan.content, ({ approval }) => approval)
      for (const write of plan.writes) {
        note(write)
        const { after, row } = write
        const content = contentAfter(write, added.get(after.id) ?? [])
        const kept = { approval: after, seal: row.seal, content, epoch }
        keep(approvals, after.id, kept, APPROVALS_KEPT)
      }
    },
    forgetHeld() {
      held = undefined
    },
    forgetContent() {
      for (const kept of approvals.values()) kept.content = undefined
    },
  }
}

/** Mostly only the approval is asked for, so its content is made when it is read. */
class Unchanged implements RecentWrite {
  readonly approval: Approval
  readonly #content: readonly StoredContent[] | undefined

  constructor({ approval, content }: Kept) {
    this.approval = approval
    this.#content = content
  }

  /** As a read gives it: values of their own, without what JSON has no word for. */
  get content(): readonly Content[] | undefined {
    return this.#content?.map(({ key, kind, text }) => ({ key, kind, value: JSON.parse(text) }))
  }
}

/** The questions of one agent, counted once and kept up to date from then on. */
class AgentLoad {
  pending: number
  /** Oldest first: asked within the last minute. */
  readonly #lately: { readonly at: number; asked: number }[]
  #count: number
  #since: number

  constructor(since: number, found: readonly AskedAt[]) {
    this.#since = since
    this.pending = found.reduce((sum, one) => sum + one.pending, 0)
    this.#lately = found.filter(({ at }) => at > since).map(({ at, asked }) => ({ at, asked }))
    this.#count = this.#lately.reduce((sum, one) => sum + one.asked, 0)
  }

  /** A clock that was set back asks about times that were let go of. */
  covers(since: number): boolean {
    return since >= this.#since
  }

  add(at: number): void {
    const last = this.#lately.at(-1)
    // Behind the newest: it leaves with that one, at most a moment late.
    if (last && last.at >= at) last.asked += 1
    else this.#lately.push({ at, asked: 1 })
    this.#count += 1
  }

  at(since: number): Load {
    this.#since = since
    let over = 0
    for (const { at, asked } of this.#lately) {
      if (at > since) break
      this.#count -= asked
      over += 1
    }
    if (over > 0) this.#lately.splice(0, over)
    return { pending: this.pending, lately: this.#count }
  }
}

function keep<T>(all: Map<string, T>, id: string, value: T, most: number): void {
  all.delete(id)
  all.set(id, value)
  const [oldest] = all.size > most ? all.keys() : []
  if (oldest !== undefined) all.delete(oldest)
}
