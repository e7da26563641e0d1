import { foldAddress } from '../../base/address.ts'
import type { QuorumPart } from '../../base/oversight.ts'
import type { Ask, Declaration, Group, Mistake, PolicyDocument, ToolEntry } from '../document.ts'
import { approvalsOf } from '../evaluate/declared.ts'
import type { Policy } from '../policy.ts'

/** Every address that some rule asks by name, in lower case; members of groups are not among them. */
export function addressesAsked({ owner, outside, code, called }: Policy): ReadonlySet<string> {
  const asked = [
    ...[owner, ...outside].flatMap(asksIn),
    ...asksOfAll(inCode(code, called)),
  ].flatMap(({ approvers = [], escalate = [] }) => [...approvers, ...escalate.map(({ to }) => to)])
  const all = [...asked, ...(owner.defaults.approvers ?? [])]
  return new Set(
    all.flatMap((one) => (one !== '*' && 'email' in one ? [foldAddress(one.email)] : [])),
  )
}

/** Every group that a rule asks for, checked against the people of all files together. */
export function groupMistakes(
  files: readonly PolicyDocument[],
  code: readonly ToolEntry[],
  groups: ReadonlyMap<string, Group>,
): Mistake[] {
  return [...files.flatMap(asksIn), ...asksOfAll(code)].flatMap((ask) => askMistakes(ask, groups))
}

/** Everything that code declares, by name or with a call. */
export function inCode(
  code: ReadonlyMap<string, ToolEntry>,
  called: ToolEntry | undefined,
): readonly ToolEntry[] {
  return [...code.values(), ...(called ? [called] : [])]
}

function asksOfAll(entries: readonly ToolEntry[]): Ask[] {
  return entries.flatMap(approvalsOf).flatMap(asksOf)
}

function asksIn({ tools, servers, localAgents, remoteAgents, governance }: PolicyDocument): Ask[] {
  const hosts = [...servers.values(), ...remoteAgents.values()]
  const entries = [
    ...tools.values(),
    ...localAgents.values(),
    ...hosts,
    ...hosts.flatMap(({ allowed }) => [...(allowed?.values() ?? [])]),
  ]
  return [
    ...entries.flatMap(({ approval }) => asksOf(approval)),
    ...governance.flatMap(({ then }) => ('ask' in then ? [then.ask] : [])),
  ]
}

function asksOf(declaration: Declaration | undefined): Ask[] {
  return declaration?.asks === 'when' ? [declaration] : []
}

function askMistakes(ask: Ask, groups: ReadonlyMap<string, Group>): Mistake[] {
  const named = [...(ask.approvers ?? []), ...(ask.escalate ?? []).map(({ to }) => to)]
  const wanted = [
    ...named.flatMap((one) => (one !== '*' && 'group' in one ? [one.group] : [])),
    ...(ask.quorum ?? []).map(({ group }) => group),
  ]
  const unknown = [...new Set(wanted)].filter((name) => !groups.has(name))
  if (unknown.length > 0) {
    return unknown.map((name) => ({
      place: ask.place,
      path: ask.rule,
      kind: 'unknown_group',
      message: `group "${name}" is not defined in any file; add it under people.groups`,
    }))
  }
  if (!ask.quorum || canFill(ask.quorum, groups)) return []
  return [
    {
      place: ask.place,
      path: `${ask.rule}.quorum`,
      kind: 'unsatisfiable_quorum',
      message: 'no set of different people can fill this quorum; add people or ask for fewer',
    },
  ]
}

/**
 * Whether different people can fill every place. Someone in two groups fills one place only, so
 * this is a matching, not a count. A group by claim may hold anyone.
 */
export function canFill(
  quorum: readonly QuorumPart[],
  groups: ReadonlyMap<string, Group>,
): boolean {
  const places = quorum.flatMap(({ group, n }) => {
    const members = groups.get(group)
    return members && 'emails' in members
      ? Array.from({ length: n }, () => members.emails.map(foldAddress))
      : []
  })
  const holds = new Map<string, number>()
  const seat = (place: number, tried: Set<string>): boolean =>
    (places[place] ?? []).some((person) => {
      if (tried.has(person)) return false
      tried.add(person)
      const other = holds.get(person)
      if (other !== undefined && !seat(other, tried)) return false
      holds.set(person, place)
      return true
    })
  return places.every((_, place) => seat(place, new Set()))
}
