import type { AskedCall } from '../approval/approval.ts'
import type { Lockable } from '../approval/locks/lock.ts'
import type { PersonName } from '../approval/people/person.ts'
import {
  type AgentName,
  agentAlias,
  type Call,
  higherRisk,
  type Risk,
  riskRank,
  UNRATED,
} from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import { declaredRisk } from '../policy/evaluate/declared.ts'
import type { Mode } from '../policy/evaluate/mode.ts'
import type { Policy } from '../policy/policy.ts'

/** Who a gate speaks for: what its owner has authenticated, as opposed to what a call claims. */
export interface CallerIdentity {
  /** The entry point calls come through. Part of what an approval is bound to. */
  readonly door: string
  readonly agent: AgentName | undefined
  /** The acting user. */
  readonly principal: PersonName | undefined
  /** The person whose credential asks, where that is not the acting user. */
  readonly requester: PersonName | undefined
  readonly run: string | undefined
  readonly mode: Mode
  /** How long a confirmation may take at most, in milliseconds. */
  readonly confirmWithin?: number | undefined
  /** Whether the credential behind it still counts; undefined where there is none. */
  readonly isValid?: (() => Promise<boolean>) | undefined
}

/** An agent without a name still needs one to own its approvals by. */
const UNNAMED = 'unnamed'

export function agentName(agent: string | AgentName | undefined): AgentName | undefined {
  return typeof agent === 'string' ? { alias: agent } : agent
}

export function personName(person: string | PersonName | undefined): PersonName | undefined {
  return typeof person === 'string' ? { subject: person } : person
}

/**
 * The call with its gate's identity. A call may leave out who makes it or repeat it; one that
 * names another identity than its gate is refused, because rules look at these names.
 */
export function identified(call: Call, caller: CallerIdentity, key: string | undefined): Call {
  const { agent, principal, run } = caller
  return {
    ...call,
    ...given('agent', agreed('agent', agent, call.agent, sameAgent)),
    ...given('principal', agreed('principal', principal?.subject, call.principal, Object.is)),
    ...given('run', agreed('run', run, call.run, Object.is)),
    ...given('key', agreed('key', key, call.key, Object.is)),
  }
}

function given(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}

function agreed<T, U>(
  name: string,
  own: T | undefined,
  claimed: U | undefined,
  same: (own: T, claimed: U) => boolean,
): T | U | undefined {
  if (own === undefined) return claimed
  if (claimed === undefined || same(own, claimed)) return own
  throw new CountersignError('invalid_call', `the call names another ${name} than its gate`)
}

function sameAgent(own: AgentName, claimed: string | AgentName): boolean {
  const other = agentName(claimed) ?? {}
  if (other.id !== undefined && other.id !== own.id) return false
  return other.alias === undefined || other.alias === own.alias
}

/** The name an agent owns its approvals by: its id where it has one. */
export function ownerName(agent: string | AgentName | undefined): string {
  const { id, alias } = agentName(agent) ?? {}
  return id || alias || UNNAMED
}

export interface AskedParts {
  readonly call: Call
  readonly key: string | undefined
  readonly caller: CallerIdentity
  readonly policy: Policy
  readonly definition: string
  readonly batch: string | undefined
  readonly looks?: Risk | undefined
  /** Digest of the form. */
  readonly form?: string | undefined
}

/** What an approval remembers of a call; its arguments are kept beside. */
export function askedCall({
  call,
  key,
  caller,
  policy,
  definition,
  batch,
  looks,
  form,
}: AskedParts): AskedCall {
  const { kind = 'tool', server, tool, agent, run } = call
  const alias = agentAlias(call)
  const principal = caller.principal ?? personName(call.principal)
  const risk = recordedRisk(call.risk, declaredRisk(policy, call))
  const { door, requester } = caller
  return {
    kind,
    door,
    ...(server === undefined ? {} : { server }),
    tool,
    definition,
    agent: ownerName(agent),
    ...(alias ? { alias } : {}),
    ...(principal ? { principal } : {}),
    ...(requester ? { requester } : {}),
    ...(run === undefined ? {} : { run }),
    ...(key === undefined ? {} : { key }),
    ...(batch === undefined ? {} : { batch }),
    ...(risk ? { risk } : {}),
    ...(looks ? { looks } : {}),
    ...(form === undefined ? {} : { form }),
  }
}

/** A claim never makes a call look safer than one of a tool that the policy does not rate. */
function recordedRisk(claimed: Risk | undefined, rated: Risk | undefined): Risk | undefined {
  if (rated !== undefined) return higherRisk(claimed, rated)
  return claimed && riskRank(claimed) > riskRank(UNRATED) ? claimed : undefined
}

/** The call an approval was asked for, with these arguments, as rules see it. */
export function callAgain(
  asked: AskedCall,
  args: Call['args'],
  parentInput: Call['args'] | undefined,
): Call {
  const { kind, server, tool, agent, alias, principal, run, key, risk } = asked
  const id = agent === alias || agent === UNNAMED ? undefined : agent
  const named = { ...(alias ? { alias } : {}), ...(id ? { id } : {}) }
  return {
    kind,
    tool,
    ...(server === undefined ? {} : { server }),
    ...(alias || id ? { agent: named } : {}),
    ...(principal ? { principal: principal.subject } : {}),
    ...(run === undefined ? {} : { run }),
    ...(key === undefined ? {} : { key }),
    ...(risk ? { risk } : {}),
    args,
    ...(parentInput === undefined ? {} : { parent: { input: parentInput } }),
  }
}

/** As much of a call as a lock can name. */
export function lockable(call: Call): Lockable {
  const { tool, server, agent } = call
  const alias = agentAlias(call)
  return {
    tool,
    agent: ownerName(agent),
    ...(alias ? { alias } : {}),
    ...(server === undefined ? {} : { server }),
  }
}
