import type { Approval, Decision } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import { asVoter } from '../../approval/people/stand-in.ts'
import type { Call } from '../../base/call.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Mode, SettledMode } from '../../policy/evaluate/mode.ts'
import type { Verdict } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { GateContext } from '../context.ts'
import { TEST_ISSUER } from '../strategy.ts'

/** What the policy says now of a call that was asked about earlier. */
export function verdictNow(policy: Policy, mode: Mode, call: Call): Verdict {
  return evaluate(policy, call, settledBefore(mode))
}

/**
 * A predicate was asked once, when people were; what it said then is in the requirements. Asking
 * it again could answer otherwise for the same call, so only governance is looked at anew.
 */
function settledBefore(mode: Mode): SettledMode {
  return mode.kind === 'custom' ? { kind: 'answered', answer: false } : mode
}

/**
 * Every person whose approval is valid, and those they stood in for, as they are now. A person who
 * is gone counts as locked.
 */
export function votersNow(core: GateContext, { decisions }: Approval): Promise<Person[]> {
  const people = decisions.filter(counts).flatMap(({ by }) => [by, ...(by.for ?? []).map(asVoter)])
  return Promise.all(people.map((person) => personNow(core, person)))
}

function counts({ verdict, void: isVoid }: Decision): boolean {
  return verdict === 'approve' && isVoid !== true
}

/** The person as they are now. */
export async function personNow(
  { people, strategy }: Pick<GateContext, 'people' | 'strategy'>,
  person: Person,
): Promise<Person> {
  // No login has this issuer, so only a strategy can have answered with it.
  const isTest = person.issuer === TEST_ISSUER
  const now = isTest ? strategy && person : await people.lookup(person)
  return now ?? { ...person, locked: true }
}
