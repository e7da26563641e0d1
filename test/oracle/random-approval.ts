import type {
  Approval,
  ApprovalObject,
  Approver,
  Condition,
  ConditionGroup,
  Edit,
  HumanInTheLoop,
  Matcher,
  Operators,
  People,
  QuorumPlace,
  Scalar,
} from './documents.ts'
import { pathSegments } from './paths.ts'
import {
  ASSURANCES,
  DEAD_ENDS,
  EARLY,
  LATE,
  NUMBERS,
  PARENT_PATHS,
  PATHS,
  PATTERNS,
  PEOPLE,
  REASONS,
} from './pools.ts'
import type { Random } from './random.ts'
import { randomScalar } from './random-values.ts'

/** What a declaration may speak of at its place in the file. */
export type Scope = { people: People; parent: boolean }

export function randomApproval(random: Random, scope: Scope): Approval {
  const dice = random.next()
  if (dice < 0.16) return true
  if (dice < 0.3) return false
  if (dice < 0.36) return {}
  return randomApprovalObject(random, scope)
}

export function randomApprovalObject(random: Random, scope: Scope): ApprovalObject {
  const approval: ApprovalObject = {}
  if (random.chance(0.4)) approval.message_template = randomTemplate(random, scope.parent, false)
  if (random.chance(0.6)) approval.condition = randomCondition(random, scope)
  if (random.chance(0.2)) approval.approvers = randomApprovers(random, scope.people)
  if (random.chance(0.2)) approval.quorum = randomQuorum(random, scope.people)
  if (random.chance(0.25)) approval.decide_by = random.pick(LATE)
  if (random.chance(0.25)) approval.use_by = random.pick([...EARLY, ...LATE])
  if (random.chance(0.2)) approval.remind_after = random.pick(EARLY)
  if (random.chance(0.15)) {
    approval.escalate = [{ after: '15m', to: randomApprover(random, scope.people) }]
    if (random.chance(0.3)) {
      approval.escalate.push({ after: '1h', to: randomApprover(random, scope.people) })
    }
  }
  if (random.chance(0.25)) approval.reason = random.pick(REASONS)
  if (random.chance(0.3)) approval.edit = randomEdit(random)
  if (random.chance(0.25)) approval.min_assurance = random.pick(ASSURANCES)
  if (random.chance(0.2)) approval.grants = random.chance(0.5)
  return approval
}

export function randomHumanInTheLoop(random: Random): HumanInTheLoop {
  const spelling: HumanInTheLoop = { mode: random.chance(0.75) ? 'REQUIRED' : 'DISABLED' }
  if (random.chance(0.6)) spelling.promptTemplate = randomTemplate(random, false, true)
  return spelling
}

export function randomCondition(random: Random, scope: Scope): Condition {
  if (random.chance(0.5)) return randomGroup(random, scope)
  return Array.from({ length: random.between(1, 3) }, () => randomGroup(random, scope))
}

function randomGroup(random: Random, scope: Scope): ConditionGroup {
  const dice = random.next()
  if (dice < 0.03) return {}
  if (dice < 0.06) return { args_match: {} }
  const matchers: { [path: string]: Matcher } = {}
  for (let count = random.pick([1, 1, 2, 3]); count > 0; count--) {
    matchers[randomPath(random, scope)] = randomMatcher(random)
  }
  return { args_match: matchers }
}

function randomPath(random: Random, scope: Scope): string {
  if (scope.parent && random.chance(0.35)) return random.pick(PARENT_PATHS)
  return random.chance(0.08) ? random.pick(DEAD_ENDS) : random.pick(PATHS)
}

function randomMatcher(random: Random): Matcher {
  const dice = random.next()
  if (dice < 0.3) return randomScalar(random)
  if (dice < 0.34) return {}
  const operators = randomOperator(random)
  return random.chance(0.25) ? { ...operators, ...randomOperator(random) } : operators
}

function randomOperator(random: Random): Operators {
  const number = random.pick(NUMBERS)
  switch (random.between(0, 8)) {
    case 0:
      return { gt: number }
    case 1:
      return { gte: number }
    case 2:
      return { lt: number }
    case 3:
      return { lte: number }
    case 4:
      return { ne: randomScalar(random) }
    case 5:
      return { in: randomList(random) }
    case 6:
      return { not_in: randomList(random) }
    default:
      return { pattern: random.pick(PATTERNS).pattern }
  }
}

function randomList(random: Random): Scalar[] {
  const list = Array.from({ length: random.between(1, 4) }, () => randomScalar(random))
  return [...new Set(list)]
}

/** True, false, or paths of which none lies under another. */
export function randomEdit(random: Random): Edit {
  if (random.chance(0.4)) return random.chance(0.5)
  const chosen = random.some(PATHS, random.between(1, 4))
  const free = chosen.filter((path) => !chosen.some((other) => isUnder(path, other)))
  return free.length > 0 ? free : ['amount']
}

function isUnder(path: string, other: string): boolean {
  const [below, above] = [pathSegments(path), pathSegments(other)]
  return above.length < below.length && above.every((segment, at) => below[at] === segment)
}

export function randomApprovers(random: Random, people: People): Approver[] {
  if (random.chance(0.2)) return ['*']
  const groups = Object.keys(people.groups).map((group) => ({ group }))
  return random.some<Approver>([...groups, ...PEOPLE], random.between(1, 2))
}

function randomApprover(random: Random, people: People): Approver {
  return random.pick<Approver>([{ group: random.pick(Object.keys(people.groups)) }, ...PEOPLE])
}

/** One or two groups whose places different people can fill, all at once. */
function randomQuorum(random: Random, people: People): QuorumPlace[] {
  const listed = Object.entries(people.groups).filter(([, members]) => Array.isArray(members))
  const names = listed.map(([group]) => group)
  for (let tries = 0; tries < 10; tries++) {
    const quorum = random
      .some(names, random.between(1, 2))
      .map((group) => ({ group, n: random.between(1, 2) }))
    if (canBeFilled(quorum, people)) return quorum
  }
  return [{ group: random.pick(names), n: 1 }]
}

/** Whether each place of the quorum can get a member of its own. */
export function canBeFilled(quorum: QuorumPlace[], people: People): boolean {
  const places = quorum.flatMap(({ group, n }) => Array.from({ length: n }, () => group))
  const fill = (at: number, taken: string[]): boolean => {
    const group = places[at]
    if (group === undefined) return true
    const members = people.groups[group]
    if (!Array.isArray(members)) return false
    return members.some((member) => !taken.includes(member) && fill(at + 1, [...taken, member]))
  }
  return fill(0, [])
}

const LITERALS = ['Pay $', ' for ', '? ', '100% of ', ' $& $1 ', 'größe ', "'", '\n', '{x} ', '} ']
const VARIABLES = [
  'tool_name',
  'tool_args',
  'tool_args.amount',
  'tool_args.order.amount',
  'tool_args.order',
  'tool_args.a\\.b',
  'tool_args.a.b',
  'tool_args.x\\\\y',
  'tool_args.toString',
  'tool_args.currency',
  'agent_alias',
  'agent_id',
  'skill_id',
  'skill_args',
  'skill_args.amount',
  'mcp_server_alias',
  'remote_agent_alias',
]

function randomTemplate(random: Random, parent: boolean, prompt: boolean): string {
  let text = 'Sure? '
  for (let count = random.between(1, 5); count > 0; count--) {
    const dice = random.next()
    if (dice < 0.35) text += random.pick(LITERALS)
    // In message_template these two are ordinary text.
    else if (dice < (prompt ? 0.6 : 0.42)) text += random.pick(['{toolName}', '{args}'])
    else if (parent && dice < 0.55) text += `{{${random.pick(PARENT_PATHS)}}}`
    else
      text += random.chance(0.8)
        ? `{{${random.pick(VARIABLES)}}}`
        : `{{ ${random.pick(VARIABLES)} }}`
  }
  return text
}
