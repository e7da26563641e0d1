import type { DraftRule, PolicyDraft } from '../../api/policy.ts'
import { duration } from '../../base/duration-words.ts'
import type { OnCall } from '../../base/on-call/on-call.ts'
import type { Group, PolicyDocument, ServerEntry } from '../../policy/document.ts'
import { notifyWords } from '../../policy/words/notify-words.ts'
import { type Running, statusOf } from './status.ts'

/**
 * Rules that come, go or read differently, and what rules rest on: the people of groups, ratings and
 * the ways to servers. A person applies what is shown here, so nothing that counts may be left out.
 */
export function draftDifference(
  before: Running,
  after: Running,
): Pick<PolicyDraft, 'added' | 'removed'> {
  const [old, fresh] = [rowsOf(before), rowsOf(after)]
  const texts = (rows: readonly DraftRule[]) => new Set(rows.map((row) => JSON.stringify(row)))
  const [known, wanted] = [texts(old), texts(fresh)]
  return {
    added: [
      ...fresh.filter((row) => !known.has(JSON.stringify(row))),
      ...movedServers(before.policy.owner, after.policy.owner),
    ],
    removed: old.filter((row) => !wanted.has(JSON.stringify(row))),
  }
}

function rowsOf(running: Running): DraftRule[] {
  const rules = statusOf(running).rules.map(({ source, name, words, details, asks, risk }) => ({
    ...{ source, name, words, asks },
    details: risk === undefined ? [...details] : [...details, `Rated ${risk}`],
  }))
  const groups = [...running.policy.groups].map(([name, group]) => ({
    ...{ source: 'people', name, words: groupWords(group), asks: 'group' },
    details: group.onCall ? [scheduleWords(group.onCall)] : [],
  }))
  // Their order counts: the first that fits is the one.
  const notify = running.policy.owner.notify.map((rule, index) => ({
    ...{ source: 'notify', name: `notify ${index + 1}`, words: notifyWords(rule) },
    ...{ details: [], asks: 'notify' },
  }))
  return [...rules, ...groups, ...notify]
}

function groupWords(group: Group): string {
  return 'emails' in group ? group.emails.join(', ') : `people with the claim ${group.claim}`
}

/** Whose address a calendar has is not shown: it often holds the secret that opens it. */
function scheduleWords({ by, othersAfter }: OnCall): string {
  const others = `the others after ${duration(othersAfter)}`
  if ('calendar' in by) return `On call by a calendar, ${others}`
  const { people, zone, weekday, minute, since } = by.rotation
  const day = weekday === undefined ? 'day' : `week from ${WEEKDAYS[weekday]}`
  const time = new Date(minute * 60_000).toISOString().slice(11, 16)
  const first = new Date(since * 86_400_000).toISOString().slice(0, 10)
  return `On call each ${day} ${time} ${zone}: ${people.join(', ')}, the first on ${first}; ${others}`
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Which parts changed and not what they hold: variables and headers carry credentials. */
function movedServers(before: PolicyDocument, after: PolicyDocument): DraftRule[] {
  const ways = ({ servers, remoteAgents }: PolicyDocument) =>
    new Map<string, ServerEntry>([...remoteAgents, ...servers].map(([, one]) => [one.rule, one]))
  const old = ways(before)
  return [...ways(after)].flatMap(([rule, { alias, connection }]) => {
    const was = old.get(rule)?.connection
    const parts = was ? changedParts(was, connection) : []
    if (parts.length === 0) return []
    const words = `is reached in another way: ${parts.join(', ')}`
    return [{ source: 'server', name: alias, words, details: [], asks: 'server' }]
  })
}

function changedParts(one: object, two: object): string[] {
  const [a, b] = [one, two] as Record<string, unknown>[]
  const keys = [...new Set([...Object.keys(one), ...Object.keys(two)])]
  return keys.filter((key) => JSON.stringify(a?.[key]) !== JSON.stringify(b?.[key]))
}
