import type { Approval, AskedCall } from '../approval.ts'
import type { Grant } from '../grants/grant.ts'
import { mayBe, type Named, type PersonId, type PersonName } from '../people/person.ts'
import {
  id,
  Mismatch,
  members,
  name,
  optional,
  personId,
  personName,
  type Reader,
  text,
  time,
} from '../shape.ts'

/** What is kept: everything that fits all members that are set. At least one is. */
export interface HoldTarget {
  readonly approval?: string
  /** Answered, asked, or is the acting user. */
  readonly person?: PersonName
  readonly agent?: string
  readonly server?: string
  readonly tool?: string
  /** Something of it happened at this moment or later. */
  readonly since?: number
  /** Something of it happened at this moment or earlier. */
  readonly until?: number
}

/** A legal hold: what it names is not erased until a person releases it. */
export interface Hold {
  readonly id: string
  readonly target: HoldTarget
  readonly by: PersonId
  readonly reason: string
  readonly at: number
}

/** What can be held: an approval, a grant or an observed call, reduced to what a hold can name. */
export interface Holdable {
  readonly approvals: readonly string[]
  readonly people: readonly PersonName[]
  readonly agents: readonly string[]
  readonly server?: string | undefined
  readonly tool: string
  readonly from: number
  readonly to: number
}

/** The hold that keeps this, if one does. */
export function holdOn(holds: readonly Hold[], what: Holdable): Hold | undefined {
  return holds.find(({ target }) => isHeldBy(target, what))
}

function isHeldBy(target: HoldTarget, what: Holdable): boolean {
  const { approval, person, agent, server, tool, since, until } = target
  return (
    (approval === undefined || what.approvals.includes(approval)) &&
    (person === undefined || what.people.some((one) => mayBeSame(one, person))) &&
    (agent === undefined || what.agents.includes(agent)) &&
    (server === undefined || what.server === server) &&
    (tool === undefined || what.tool === tool) &&
    (since === undefined || what.to >= since) &&
    (until === undefined || what.from <= until)
  )
}

/** Whether a person is one whom a hold names. A hold without a person names none. */
export function holdOnPerson(holds: readonly Hold[], person: PersonName): Hold | undefined {
  return holds.find(({ target }) => target.person && mayBeSame(target.person, person))
}

/** In doubt they are the same: more is kept then, and nothing is lost. */
function mayBeSame(one: PersonName, other: PersonName): boolean {
  return mayBe(named(one), other) || mayBe(named(other), one)
}

function named({ issuer = '', ...rest }: PersonName): Named {
  return { issuer, ...rest, groups: [] }
}

export function heldApproval(approval: Approval): Holdable {
  const { call, decisions, talk = [], assigned, execution, lifted, escalated } = approval
  return {
    approvals: [approval.id],
    people: [
      ...namedIn(call),
      ...decisions.flatMap(({ by }) => [by, ...(by.for ?? [])]),
      ...[assigned?.to, assigned?.by, execution?.resolvedBy, lifted?.by].flatMap(given),
      ...[...talk, ...escalated].flatMap(({ by }) => given(by)),
    ],
    ...calledBy(call),
    from: approval.askedAt,
    to: approval.changedAt,
  }
}

export function heldGrant(grant: Grant): Holdable {
  const { scope, by, from, endedBy, mintedAt, changedAt, endsAt } = grant
  return {
    approvals: given(from),
    people: [by, ...(by.for ?? []), ...given(endedBy), ...given(scope.principal ?? undefined)],
    agents: [scope.agent],
    server: scope.server,
    tool: scope.tool,
    from: mintedAt,
    to: Math.max(changedAt, endsAt),
  }
}

function namedIn({ principal, requester }: Pick<AskedCall, 'principal' | 'requester'>) {
  return [...given(principal), ...given(requester)]
}

function calledBy({ agent, alias, server, tool }: AskedCall) {
  return { agents: [agent, ...given(alias)], server, tool }
}

function given<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** What is held, as a clause. */
export function holdWords({ approval, person, agent, server, tool, since, until }: HoldTarget) {
  const day = (at: number) => new Date(at).toISOString()
  const parts = [
    approval === undefined ? [] : [`approval ${approval}`],
    person === undefined ? [] : [`person ${person.email ?? person.subject}`],
    agent === undefined ? [] : [`agent ${agent}`],
    tool === undefined ? [] : [`tool ${tool}`],
    server === undefined ? [] : [`server ${server}`],
    since === undefined ? [] : [`since ${day(since)}`],
    until === undefined ? [] : [`until ${day(until)}`],
  ].flat()
  return parts.length === 0 ? 'everything' : parts.join(', ')
}

export const holdTarget: Reader<HoldTarget> = (value) => {
  const target = members<HoldTarget>({
    approval: optional(id),
    person: optional(personName),
    agent: optional(name),
    server: optional(name),
    tool: optional(name),
    since: optional(time),
    until: optional(time),
  })(value)
  if (Object.keys(target).length > 0) return target
  throw new Mismatch('at least one of its members is needed')
}

const hold: Reader<Hold> = members<Hold>({
  id,
  target: holdTarget,
  by: personId,
  reason: text(4_096),
  at: time,
})

/** Any value, as a hold. An unreadable one keeps everything, because its target is unknown. */
export function readHold(value: unknown): Hold {
  try {
    return hold(value)
  } catch {
    return {
      id: 'unreadable',
      target: {},
      by: { issuer: 'countersign', subject: 'store' },
      reason: 'a hold in the database could not be read',
      at: 0,
    }
  }
}
