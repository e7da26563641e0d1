import { randomUUID } from 'node:crypto'
import type { Approval } from '../../approval/approval.ts'
import { LATELY_MS, type Load } from '../../approval/commands/caps.ts'
import type { Hold } from '../../approval/holds/hold.ts'
import type { Content, ContentKind } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { type AuditEntry, POLICY_EVENT_TYPES } from '../audit/audit-entry.ts'
import { createSession, isApprovalEvent, openingOf } from '../audit/chain.ts'
import { planAmendment } from '../engine/amend.ts'
import type { Amendment } from '../engine/amendment.ts'
import { createChanges } from '../engine/changes.ts'
import { heldOf } from '../engine/constraints.ts'
import { type CountedCalls, toolCounts } from '../engine/counts.ts'
import { createCursors, feedLimit } from '../engine/cursor.ts'
import { isNeeded, notHeld, type OldRow, wantedPieces } from '../engine/erasable.ts'
import { eraseGrants } from '../engine/erase-grants.ts'
import { appliedBy, grantBy, settle } from '../engine/flusher.ts'
import { cappedAgents, grantsOf } from '../engine/ledgers.ts'
import { matchesFilter, pageInMemory, pagingOf } from '../engine/page.ts'
import {
  type Caller,
  callerOf,
  type Entry,
  identityOf,
  nameOf,
  type Plan,
  plan,
  type StoredContent,
} from '../engine/plan.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { LOCK_RECORD } from '../records/lock-record.ts'
import { STAND_IN_RECORD } from '../records/stand-in-record.ts'
import { isWanted, wantedBy } from '../search/words.ts'
import type { About } from '../sql/feed-sql.ts'
import { heartOf, isJoinable, lookAt } from '../sql/row-columns.ts'
import { createStatistics } from '../statistics/roll-up.ts'
import { MAX_DENIED, RESULT_MS, type Store } from '../store.ts'
import { createMemoryGrants } from './grants.ts'
import { createMemoryObservations } from './observations.ts'
import { createMemoryOutbox } from './outbox.ts'
import { createMemoryRecords } from './records.ts'
import { createMemoryCounters } from './statistics.ts'
import { createMemoryVault, type RecordedEntry } from './vault.ts'

export interface MemoryOptions {
  readonly tenant?: string
  /** Milliseconds since 1970. The machine's clock unless set. */
  readonly clock?: () => number
}

/** Approvals that live as long as the process: for tests and for trying things out. */
export function memoryStore({ tenant = 'default', clock = Date.now }: MemoryOptions = {}): Store {
  const session = createSession(tenant, randomUUID())
  const cursors = createCursors(randomUUID(), tenant)
  const approvals = new Map<string, Approval>()
  /** Ids by identity: of every call with a key, and of those without while they can be joined. */
  const named = new Map<string, string>()
  const entries: AuditEntry[] = []
  const recorded: RecordedEntry[] = []
  const sent = new Map<string, AuditEntry[]>()
  let content: (StoredContent & { readonly at: number })[] = []
  const grants = createMemoryGrants(clock, (id, command) => grantBy(commit, id, command))
  const notices = createMemoryOutbox(clock)
  const observed = createMemoryObservations(clock)
  const startedAt = clock()
  const records = createMemoryRecords(clock)
  let isClosed = false

  function like(caller: Caller | undefined): Approval | undefined {
    const id = caller && named.get(identityOf(caller))
    return id === undefined ? undefined : approvals.get(id)
  }

  function keep(approval: Approval): void {
    approvals.set(approval.id, approval)
    const identity = nameOf(approval)
    if (identity === undefined) return
    if (approval.call.key !== undefined || isJoinable(approval)) named.set(identity, approval.id)
    else if (named.get(identity) === approval.id) named.delete(identity)
  }

  function loadOf(agent: string, now: number): Load {
    const own = [...approvals.values()].filter(({ call, grant }) => call.agent === agent && !grant)
    return {
      pending: own.filter(({ status }) => status === 'pending').length,
      lately: own.filter(({ askedAt }) => askedAt > now - LATELY_MS).length,
    }
  }

  function held() {
    return [LOCK_RECORD, STAND_IN_RECORD, HOLD_RECORD].flatMap((kind) =>
      records.all(kind).map(({ id, value }) => ({ kind, id, value })),
    )
  }

  function isHeld(holds: readonly Hold[], row: Omit<OldRow, 'position'>): boolean {
    return notHeld(holds, [{ ...row, position: 0 }], approvals).length === 0
  }

  function around(now: number) {
    return session.around(now, session.isNew ? openingOf(session, now, []) : undefined)
  }

  function amend(amendment: Amendment): boolean {
    if (isClosed) throw new CountersignError('store_closed', 'the store is closed')
    const found = amendment.changes.flatMap(({ kind, id }) => {
      const record = records.find(kind, id)
      if (!record) return []
      const { revision, at, expiresAt = null, value } = record
      return [{ kind, id, revision, at, expiresAt, value: JSON.stringify(value) }]
    })
    const now = clock()
    const planned = planAmendment(amendment, { records: found, now }, around(now))
    for (const write of planned.records) records.write(write, now)
    record(planned)
    if (planned.isDone) changes.announceAmended()
    return planned.isDone
  }

  function commit(asked: Entry): void {
    if (isClosed) throw new CountersignError('store_closed', 'the store is closed')
    const { id, command } = asked
    const found = [approvals.get(id), like(callerOf(command))].filter(
      (approval) => approval !== undefined,
    )
    const now = clock()
    const planned = plan(
      [asked],
      {
        approvals: found,
        grants: grants.named(grantsOf([asked])),
        earlier: sent.get(command.commandId) ?? [],
        ...heldOf(held()),
        loads: new Map(cappedAgents([asked]).map((agent) => [agent, loadOf(agent, now)])),
        now,
      },
      around(now),
    )
    for (const { after } of planned.writes) keep(after)
    grants.keep(planned)
    record(planned)
    settle(planned)
    const changed = planned.writes.map(({ after }) => after)
    if (changed.length > 0 || planned.grants.length > 0) changes.announce(changed)
  }

  function record(planned: Plan): void {
    recorded.push(...planned.entries)
    for (const { entry } of planned.entries) {
      entries.push(entry)
      if (!isApprovalEvent(entry.event)) continue
      const { command: name } = entry.event
      sent.set(name, [...(sent.get(name) ?? []), entry])
    }
    notices.write(planned.notices, planned.now)
    content.push(...planned.content.map((one) => ({ ...one, at: planned.now })))
    session.committed(planned)
  }

  function contentOf(id: string, kinds: readonly ContentKind[] | undefined): Content[] {
    return content
      .filter(
        ({ approval, kind, at }) =>
          approval === id &&
          (kinds === undefined || kinds.includes(kind)) &&
          (kind !== 'result' || at > results()),
      )
      .map(({ key, kind, value }) => ({ key, kind, value }))
  }

  function questionsByApproval(): Map<string, Content['value'][]> {
    const questions = new Map<string, Content['value'][]>()
    for (const { approval, kind, value } of content) {
      if (kind === 'question') questions.set(approval, [...(questions.get(approval) ?? []), value])
    }
    return questions
  }

  const get = async (id: string) => approvals.get(id)
  const getMany: Store['getMany'] = async (ids) => ids.flatMap((id) => approvals.get(id) ?? [])
  const eventsSince: Store['eventsSince'] = async (cursor, limit, about) => {
    const [from = 0] = cursors.read(cursor, { start: [0], end: [entries.length] })
    if (from > entries.length) throw cursors.unknown()
    const page: AuditEntry[] = []
    let at = from
    for (; at < entries.length && page.length < feedLimit(limit); at += 1) {
      const entry = entries[at]
      if (entry && isAbout(entry, about)) page.push(entry)
    }
    return { entries: page, cursor: cursors.write([at]) }
  }
  const changes = createChanges(get, () => {})
  const results = () => clock() - RESULT_MS

  return {
    name: 'memory',
    tenant,
    instance: session.instance,
    quarantine: undefined,
    lost: new AbortController().signal,
    warnings: [],
    records,
    outbox: notices.outbox,
    observations: observed.observations,
    statistics: createStatistics(createMemoryCounters(), { eventsSince, getMany }),
    vault: createMemoryVault({
      tenant,
      database: randomUUID(),
      clock,
      entries: () => recorded,
      content: () => content,
    }),
    grants: grants.reads,
    apply: (id, command) => appliedBy(commit, id, command),
    amend: async (amendment) => amend(amendment),
    get,
    getMany,
    async find({ agent, run, key }) {
      return like({ agent, run, key, digest: '' })
    },
    async before({ agent, tool, server, run, key, digest }) {
      const denied = [...approvals.values()]
        .filter(({ status, call }) => status === 'denied' && call.agent === agent)
        .filter(({ call }) => run !== undefined && call.run === run && call.tool === tool)
        .reverse()
        .sort((a, b) => Number(b.askedDigest === digest) - Number(a.askedDigest === digest))
      return {
        approval: run && key ? like({ agent, run, key, digest }) : undefined,
        denied: denied.slice(0, MAX_DENIED),
        grants: grants.candidates({ agent, tool, server }),
      }
    },
    async findByDigest({ agent, run, digest }) {
      return like({ agent, run, key: undefined, digest })
    },
    async list(filter, page = {}) {
      const placed = [...approvals.values()].map((approval, position) => ({ approval, position }))
      const wanted = wantedBy(filter)
      const questions = wanted && questionsByApproval()
      const fits = (approval: Approval) =>
        matchesFilter(filter, approval) &&
        (!wanted || isWanted(wanted, approval, questions?.get(approval.id) ?? []))
      return pageInMemory(placed, fits, pagingOf(page))
    },
    async counts(since) {
      const found = new Map<string, CountedCalls & { n: number }>()
      for (const { askedAt, status, call } of approvals.values()) {
        if (askedAt < since) continue
        const { server, tool, door } = call
        const name = `${server}\n${tool}\n${door}\n${status}`
        const known = found.get(name)
        if (known) known.n += 1
        else found.set(name, { server, tool, door, status, n: 1 })
      }
      return toolCounts([...found.values()])
    },
    async events(id) {
      return entries.filter(({ event }) => isApprovalEvent(event) && event.approval === id)
    },
    eventsSince,
    async eventsBefore(cursor, limit, about) {
      const [to = 0] = cursors.read(cursor, { start: [0], end: [entries.length] })
      if (to > entries.length) throw cursors.unknown()
      const page: AuditEntry[] = []
      let at = to
      for (; at > 0 && page.length < feedLimit(limit); at -= 1) {
        const entry = entries[at - 1]
        if (entry && isAbout(entry, about)) page.push(entry)
      }
      return { entries: page, cursor: cursors.write([at]) }
    },
    async newestPolicyEvent() {
      return entries.findLast(({ event }) => POLICY_EVENT_TYPES.includes(event.type))
    },
    subscribe: changes.subscribe,
    onAmended: changes.onAmended,
    waitFor: changes.waitFor,
    async due(limit = 100) {
      const now = clock()
      return (
        [...approvals.values()]
          .filter((approval) => (lookAt(approval) ?? Number.POSITIVE_INFINITY) <= now)
          // This process is alive, and no other writes here.
          .filter((approval) => heartOf(approval) !== session.instance)
          .sort((a, b) => (lookAt(a) ?? 0) - (lookAt(b) ?? 0))
          .slice(0, limit)
          .map((approval) => ({ approval }))
      )
    },
    content: async (id, kinds) => contentOf(id, kinds),
    async contentOf(ids, kinds) {
      return new Map(
        ids.flatMap((id) => {
          const own = contentOf(id, kinds)
          return own.length === 0 ? [] : [[id, own] as const]
        }),
      )
    },
    async erase(before, signal) {
      if (signal?.aborted) return 0
      const count = content.length
      const { holds } = heldOf(held())
      const lately = new Set(
        entries.flatMap(({ event }) =>
          isApprovalEvent(event) && event.at >= before ? [event.approval] : [],
        ),
      )
      /** Counted from the end: content must not vanish while its call can be decided, can run or needs a person to resolve it. */
      const isOver = (id: string) => {
        const known = approvals.get(id)
        return !(known && isNeeded(known)) && !lately.has(id)
      }
      content = content.filter(({ approval, kind, at }) => {
        if (kind === 'policy' || isHeld(holds, { at, approval })) return true
        if (kind === 'result') return at >= before && at > results()
        return at >= before || !isOver(approval)
      })
      const words = count - content.length + observed.erase(before, holds)
      const ended = grants.erasable(before)
      const next = (after: string) => (after === '' ? ended : [])
      return words + (await eraseGrants({ submitGrant: grants.reads.apply }, next))
    },
    async eraseThose(isWanted) {
      const { holds } = heldOf(held())
      const pieces = content.map(({ approval, ...one }, position) => ({
        ...one,
        position,
        approval: approvals.get(approval),
      }))
      const { free, kept } = wantedPieces(pieces, { holds, isWanted })
      content = content.filter((_, position) => !free.includes(position))
      return { erased: free.length, kept }
    },
    async instances() {
      return session.isNew ? [] : [{ id: session.instance, startedAt, lastSeen: clock() }]
    },
    async assertWritable() {
      if (isClosed) throw new CountersignError('store_closed', 'the store is closed')
    },
    now: async () => clock(),
    async close() {
      isClosed = true
      changes.close()
    },
  }
}

function isAbout({ event }: AuditEntry, about: About = {}): boolean {
  const { approval, types, since = 0, until = Number.MAX_SAFE_INTEGER } = about
  if (event.at < since || event.at > until) return false
  if (approval !== undefined) return isApprovalEvent(event) && event.approval === approval
  return types?.includes(event.type) ?? true
}
