import { DatabaseSync } from 'node:sqlite'
import type { Approval } from '../../src/approval/approval.ts'
import type { Event } from '../../src/approval/transition.ts'
import { createCounterTable } from '../../src/store/sqlite/statistics.ts'
import { added, additionsOf } from '../../src/store/statistics/count.ts'
import { type Counter, dayOf } from '../../src/store/statistics/statistics.ts'
import { approverNamed, asking } from '../../src/testing/commands.ts'

/*
 * The counters of a long history without the history: what the roll-up reads of an event and its
 * approval, for as many approvals as wanted, counted by the roll-up's own code. A sample that went
 * through a store is compared with it first (bench/insights.ts).
 */

const DAY = 86_400_000

/** A large company: as many names as people can tell apart, busy on every day. */
const AGENTS = 300
const TOOLS = 120
const PEOPLE = 60
const RULES = 30
const GROUPS = 10

export interface Happened {
  readonly n: number
  readonly askedAt: number
  readonly end: 'approve' | 'deny' | 'expire'
  /** From the question to the answer. */
  readonly took: number
}

/** The same for the same number, so that two ways to record it can be compared. */
export function happened(n: number, many: number, begin: number, days: number): Happened {
  const random = seeded(n)
  // The last day is left out: a question of today could still be open.
  const askedAt = begin + Math.floor((n / many) * (days - 1) * DAY)
  const end = random() < 0.1 ? 'deny' : random() < 0.05 ? 'expire' : 'approve'
  // From a second to about an hour, most within some minutes.
  const took = Math.floor(1_000 * 2 ** (random() * 6 + random() * 6))
  return { n, askedAt, end, took }
}

export const LIVES_MS = 7_200_000

export function requestOf(n: number) {
  const random = seeded(n + 1_000_003)
  const pick = (most: number) => Math.floor(random() * random() * most)
  const asked = asking({
    call: {
      agent: `agent-${pick(AGENTS)}`,
      tool: `tool_${pick(TOOLS)}`,
      ...(n % 3 === 0 ? { server: `server-${n % 9}` } : {}),
      run: `run-${n}`,
      key: 'call',
      risk: (['L1', 'L2', 'L3', 'L4', 'L5'] as const)[n % 5] ?? 'L1',
    },
    terms: { decideBy: LIVES_MS },
  })
  const [first] = asked.requirements
  if (!first) throw new Error('the sample asks for no one')
  const rule = `tools.tool_${pick(RULES)}.approval`
  const quorum = [{ group: `group-${pick(GROUPS)}`, n: 1 }]
  const groups = Object.fromEntries(groupNames().map((name) => [name, { claim: name }]))
  const directory = { ...asked.directory, groups }
  return { ...asked, directory, requirements: [{ ...first, rule, quorum }] }
}

function groupNames(): string[] {
  return Array.from({ length: GROUPS }, (_, at) => `group-${at}`)
}

export function personOf(n: number) {
  const person = approverNamed(`person-${n % PEOPLE}`)
  return { ...person, groups: groupNames() }
}

/** Writes the counters of so many approvals into the table of an SQLite store. */
export async function fillCounters(
  file: string,
  { many, begin, days }: { readonly many: number; readonly begin: number; readonly days: number },
): Promise<number> {
  const db = new DatabaseSync(file)
  db.exec('pragma synchronous = off')
  const transact = async <T>(work: () => T): Promise<T> => {
    db.exec('begin immediate')
    const done = work()
    db.exec('commit')
    return done
  }
  const table = createCounterTable(db, { tenant: 'default', transact })
  let counters = new Map<string, Counter>()
  let written = 0
  let today = -1
  const write = async () => {
    const all = [...counters.values()]
    const from = await table.progress()
    const to = from ?? { cursor: 'start', until: begin }
    await table.merge({ from, to, days: [], change: () => all })
    written += all.length
    counters = new Map()
  }
  // A day at a time, as it was: an addition looks at all counters of its day.
  let additions: ReturnType<typeof additionsOf> = []
  const count = async () => {
    for (const one of added([], additions)) {
      counters.set(`${one.day} ${one.dimension} ${one.key}`, one)
    }
    additions = []
    await write()
  }
  for (let n = 0; n < many; n += 1) {
    const one = happened(n, many, begin, days)
    if (dayOf(one.askedAt) !== today && today !== -1) await count()
    today = dayOf(one.askedAt)
    additions.push(...additionsFor(one))
  }
  await count()
  db.exec('delete from statistics_progress')
  db.close()
  return written
}

function additionsFor({ n, askedAt, end, took }: Happened) {
  const { call, requirements, digest } = requestOf(n)
  const decidedAt = end === 'expire' ? askedAt + LIVES_MS : askedAt + took
  const yes = end === 'approve' ? { useBy: decidedAt } : {}
  const approval = { call, requirements, digest, askedDigest: digest, askedAt, decidedAt, ...yes }
  const { issuer, subject } = personOf(n)
  const event = (type: Event['type'], by: Event['by'], at: number) =>
    additionsOf({ type, by, at } as Event, approval as unknown as Approval)
  const gate = { system: 'gate' } as const
  const person = { person: { issuer, subject } }
  return [
    ...event('requested', { agent: call.agent }, askedAt),
    ...(end === 'approve'
      ? [...event('decided', person, decidedAt), ...event('approved', gate, decidedAt)]
      : end === 'deny'
        ? event('denied', person, decidedAt)
        : event('expired', { system: 'clock' }, decidedAt)),
  ]
}

/** Small and good enough: mulberry32. */
function seeded(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
