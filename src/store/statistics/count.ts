import type { Approval } from '../../approval/approval.ts'
import type { Event } from '../../approval/transition.ts'
import { riskRank, shownRisk } from '../../base/call.ts'
import { rangeOf } from './histogram.ts'
import {
  addCounts,
  type Counter,
  type Counts,
  type Dimension,
  dayOf,
  MOST_KEYS,
  NOTHING,
  OTHER_KEYS,
} from './statistics.ts'

/** What one event adds to one counter. */
interface Addition {
  readonly day: number
  readonly dimension: Dimension
  readonly key: string
  readonly counts: Partial<Counts>
}

/** A yes so soon after the question that its text can hardly have been read. */
const QUICK_MS = 3_000

/** What an event adds, with its approval as it is by now: nothing that is counted changes later. */
export function additionsOf(event: Event, approval: Approval): Addition[] {
  const day = dayOf(approval.askedAt)
  const counts = endOf(event, approval)
  const whole = counts
    ? thingsOf(approval).map(([dimension, key]) => ({ day, dimension, key, counts }))
    : []
  const answer = answerOf(event, approval)
  return answer ? [...whole, { day, ...answer }] : whole
}

/** The question itself, or how it ended: each is counted once for every approval. */
function endOf({ type }: Event, approval: Approval): Partial<Counts> | undefined {
  if (type === 'requested') return { asked: 1 }
  // An approval that was once approved ended as that, whatever became of the yes.
  const isYes = approval.useBy !== undefined
  const ms = Math.max(0, (approval.decidedAt ?? approval.askedAt) - approval.askedAt)
  const times = { [rangeOf(ms)]: 1 }
  if (type === 'approved') {
    const edited = approval.digest === approval.askedDigest ? 0 : 1
    return approval.grant === undefined
      ? { approved: 1, edited, times }
      : { approved: 1, edited, granted: 1 }
  }
  if (isYes) return undefined
  if (type === 'denied') return { denied: 1, times }
  if (type === 'expired') return { expired: 1 }
  return type === 'withdrawn' || type === 'invalidated' ? { other: 1 } : undefined
}

function thingsOf(approval: Approval): (readonly [Dimension, string])[] {
  const { call, requirements, askedAt } = approval
  const { risk } = shownRisk(call)
  const rules = requirements.map(({ source, rule }) => JSON.stringify([source, rule]))
  const groups = requirements.flatMap(({ approvers, quorum }) => [
    ...quorum.map(({ group }) => group),
    ...approvers.flatMap((one) => (one !== '*' && 'group' in one ? one.group : [])),
  ])
  const tool = [call.server ?? null, call.tool]
  const isDefault = requirements.every(({ source }) => source === 'default')
  return [
    ['all', ''],
    ['tool', JSON.stringify(tool)],
    ['agent', call.agent],
    ['hour', String(new Date(askedAt).getUTCHours())],
    ['risk', risk === undefined ? '' : String(riskRank(risk))],
    ...[...new Set(rules)].map((key) => ['rule', key] as const),
    ...[...new Set(groups)].map((key) => ['group', key] as const),
    ...(isDefault ? [['default', JSON.stringify([...tool, risk ?? null])] as const] : []),
  ]
}

/** One person's answer. What a grant answered in advance is no answer to this call. */
function answerOf(event: Event, { askedAt }: Approval): Omit<Addition, 'day'> | undefined {
  const { type, by, at } = event
  const isYes = type === 'decided' || type === 'edited'
  if (!('person' in by) || !(isYes || type === 'denied')) return undefined
  const ms = Math.max(0, at - askedAt)
  return {
    dimension: 'person',
    key: JSON.stringify([by.person.issuer, by.person.subject]),
    counts: {
      asked: 1,
      ...(isYes ? { approved: 1 } : { denied: 1 }),
      ...(type === 'edited' ? { edited: 1 } : {}),
      ...(isYes && ms < QUICK_MS ? { quick: 1 } : {}),
      times: { [rangeOf(ms)]: 1 },
      hours: { [new Date(at).getUTCHours()]: 1 },
    },
  }
}

/** The counters that change, as they are afterwards. `known` are all of the days in question. */
export function added(known: readonly Counter[], additions: readonly Addition[]): Counter[] {
  const nameOf = ({ day, dimension, key }: Omit<Addition, 'counts'>) => `${day} ${dimension} ${key}`
  const counters = new Map(known.map((one) => [nameOf(one), one]))
  const keys = new Map<string, number>()
  for (const { day, dimension } of known) {
    keys.set(`${day} ${dimension}`, (keys.get(`${day} ${dimension}`) ?? 0) + 1)
  }
  const changed = new Set<string>()
  for (const { counts, ...wanted } of additions) {
    const group = `${wanted.day} ${wanted.dimension}`
    const isFull = !counters.has(nameOf(wanted)) && (keys.get(group) ?? 0) >= MOST_KEYS
    const own = isFull ? { ...wanted, key: OTHER_KEYS } : wanted
    const name = nameOf(own)
    const before = counters.get(name)
    if (!before) keys.set(group, (keys.get(group) ?? 0) + 1)
    counters.set(name, { ...own, counts: addCounts(before?.counts ?? NOTHING, counts) })
    changed.add(name)
  }
  return [...changed].flatMap((name) => counters.get(name) ?? [])
}
