import type { WirePerson } from '../../api/common.ts'
import type { WireGrant, WireGrantRule, WireGrantUse } from '../../api/grant.ts'
import type { Grant, GrantLimits, GrantScope } from '../../approval/grants/grant.ts'
import type { Person, PersonId } from '../../approval/people/person.ts'
import { duration } from '../../base/duration-words.ts'
import { leftOf } from '../../base/json/decimal.ts'
import { given } from '../../base/json/json.ts'

export interface GrantParts {
  readonly grant: Grant
  readonly reader: Person
  /** Why it counts for nothing now. */
  readonly whyNot: string | undefined
  /** The newest call it let through. */
  readonly lastUse: WireGrantUse | undefined
  readonly nameOf: (person: PersonId) => WirePerson
}

export function grantView({ grant, reader, whyNot, lastUse, nameOf }: GrantParts): WireGrant {
  const { limits, uses, spent, by, endedBy } = grant
  const isOwn = by.issuer === reader.issuer && by.subject === reader.subject
  const isTrusted = reader.roles.includes('approver') || reader.roles.includes('admin')
  return {
    id: grant.id,
    state: whyNot === 'expired' ? 'expired' : grant.state,
    counts: whyNot === undefined,
    ...given({ why: whyNot && sentenceFor(whyNot) }),
    by: nameOf(by),
    ...given({ reason: grant.reason, from: grant.from }),
    rule: ruleOf(grant.scope, limits, grant.endsAt - grant.mintedAt),
    used: uses,
    ...given({ lastUse }),
    usesLeft: limits.uses - uses,
    ...(limits.budget ? { spent, budgetLeft: leftOf(limits.budget.most, spent) } : {}),
    mintedAt: grant.mintedAt,
    endsAt: grant.endsAt,
    ...given({ revokedBy: endedBy && nameOf(endedBy) }),
    mayRevoke: grant.state === 'live' && (isOwn || isTrusted),
  }
}

function sentenceFor(why: string): string {
  switch (why) {
    case 'used_up':
      return 'Every use of it was taken.'
    case 'revoked':
      return 'It was revoked.'
    case 'expired':
      return 'Its time is over.'
    default:
      return `It counts for nothing: ${why}.`
  }
}

export function ruleOf(scope: GrantScope, limits: GrantLimits, lasts: number): WireGrantRule {
  const { kind, tool, server, agent, run, door, principal, definition } = scope
  const { digest, condition, uses, budget } = limits
  return {
    kind,
    tool,
    ...given({ server }),
    agent,
    ...given({ run, door }),
    ...(principal === undefined
      ? {}
      : { principal: principal?.email ?? principal?.subject ?? null }),
    sameDefinition: definition !== undefined,
    arguments: digest === undefined ? 'condition' : 'exact',
    ...given({ digest, condition }),
    uses,
    ...(budget ? { budget: { path: budget.path, most: budget.most } } : {}),
    lasts,
    words: wordsFor(scope, limits, lasts),
  }
}

/** The whole rule in sentences: what is left open is said as plainly as what is not. */
function wordsFor(scope: GrantScope, limits: GrantLimits, lasts: number): string[] {
  const { kind, tool, server, agent, run, door, principal, definition } = scope
  const { digest, condition, uses, budget } = limits
  const what = kind === 'tool' ? 'tool' : kind === 'agent' ? 'sub-agent' : 'skill'
  const of = server === undefined ? '' : ` of ${server}`
  const who = principal?.email ?? principal?.subject
  return [
    `Agent ${agent} may use the ${what} ${tool}${of} without asking.`,
    digest === undefined && condition === undefined
      ? 'What its arguments had to be is no longer kept.'
      : digest === undefined
        ? `Only while its arguments meet ${JSON.stringify(condition)}; arguments not named there may be anything.`
        : 'Only with all arguments exactly equal to those of the call it was made from.',
    run === undefined ? 'In any run.' : `Only in the run ${run}.`,
    ...(door === undefined ? [] : [`Only through the entry point ${door}.`]),
    ...(principal === undefined ? ['On behalf of any person.'] : []),
    ...(principal === null ? ['Only for calls that are not on behalf of a person.'] : []),
    ...(who === undefined ? [] : [`Only on behalf of ${who}.`]),
    ...(definition === undefined ? [] : ['Only while the tool describes itself as it does now.']),
    uses === 1 ? 'Once.' : `At most ${uses} times.`,
    ...(budget ? [`The sum of ${budget.path} stays within ${budget.most}.`] : []),
    `For ${duration(lasts)} from when it is made.`,
  ]
}
