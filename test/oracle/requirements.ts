import type {
  Approver,
  Assurance,
  Call,
  Defaults,
  Edit,
  Escalation,
  EvaluationInput,
  Level,
  QuorumPlace,
  ReasonNeed,
} from './documents.ts'
import { milliseconds } from './duration.ts'
import type { Finding, Source } from './finding.ts'
import { pathSegments } from './paths.ts'
import { knownRisk } from './risk.ts'

export type Requirement = {
  source: Source
  rule: string
  level: Level
  approvers: Approver[]
  quorum: QuorumPlace[]
  /** As written, durations included. */
  escalate: Escalation[]
}

export type Terms = {
  decideBy: number
  useBy: number
  waitFor: number | undefined
  remindAfter: number | undefined
  minAssurance: Assurance
  reason: ReasonNeed
  edit: Edit
  grants: boolean
}

export function requirementOf(finding: Finding, defaults: Defaults | undefined): Requirement {
  const { source, rule, level, declared } = finding
  return {
    source,
    rule,
    level,
    approvers: approversOf(finding, defaults),
    quorum: declared.quorum ?? [],
    escalate: declared.escalate ?? [],
  }
}

function approversOf({ level, declared }: Finding, defaults: Defaults | undefined): Approver[] {
  if (declared.approvers !== undefined) return declared.approvers
  if (level !== 'approve' || declared.quorum !== undefined) return []
  return defaults?.approvers ?? ['*']
}

const ASSURANCE: Assurance[] = ['elicitation', 'chat', 'signed-in', 'passkey']
const REASON: ReasonNeed[] = ['optional', 'required', 'required_always']

/** The terms of the one question, merged from every finding that asks. */
export function termsOf(findings: Finding[], input: EvaluationInput, call: Call): Terms {
  const defaults = input.owner.defaults ?? {}
  const gaps = (finding: Finding): Defaults => (finding.owners ? defaults : {})

  const decideBy = findings.map((f) => f.declared.decide_by ?? gaps(f).decide_by)
  const useBy = findings.map((f) => f.declared.use_by ?? gaps(f).use_by)
  const waitFor = findings.map((f) => gaps(f).wait_for)
  const remindAfter = findings.map((f) => f.declared.remind_after)
  const assurance = findings.map((f) => f.declared.min_assurance ?? gaps(f).min_assurance)
  const reason = findings.map((f) => f.declared.reason ?? gaps(f).reason)
  const edit = findings.map((f) => f.declared.edit ?? gaps(f).edit)

  return {
    decideBy: shortest(decideBy, defaults.decide_by ?? '24h'),
    useBy: shortest(useBy, defaults.use_by ?? '15m'),
    waitFor: shortest(waitFor, defaults.wait_for),
    remindAfter: shortest(remindAfter, undefined),
    minAssurance: strictest(ASSURANCE, orElse(assurance, defaults.min_assurance)),
    reason: strictest(REASON, orElse(reason, defaults.reason)),
    edit: orElse(edit, defaults.edit).reduce<Edit>(
      (one, other) => editableInBoth(one, other ?? true),
      true,
    ),
    grants: findings.every((f) => f.declared.grants !== false) && knownRisk(input, call) !== 'L5',
  }
}

/** What the findings say, or what the owner's defaults say when none of them says anything. */
function orElse<T>(said: (T | undefined)[], otherwise: T | undefined): (T | undefined)[] {
  return said.some((value) => value !== undefined) ? said : [otherwise]
}

function shortest(clocks: (string | undefined)[], otherwise: string): number
function shortest(clocks: (string | undefined)[], otherwise: string | undefined): number | undefined
function shortest(clocks: (string | undefined)[], otherwise: string | undefined) {
  const set = clocks.filter((clock) => clock !== undefined)
  if (set.length > 0) return Math.min(...set.map(milliseconds))
  return otherwise === undefined ? undefined : milliseconds(otherwise)
}

/** The last of those set, in an order that starts with the most lenient, which is the default. */
function strictest<T>(order: T[], set: (T | undefined)[]): T {
  const positions = set.map((value) => (value === undefined ? 0 : order.indexOf(value)))
  const found = order[Math.max(0, ...positions)]
  if (found === undefined) throw new Error('the order of strictness is empty')
  return found
}

/** What an approver may change under both; `true` is everything. */
export function editableInBoth(one: Edit, other: Edit): Edit {
  if (one === false || other === false) return false
  if (one === true && other === true) return true
  const paths = new Set<string>()
  for (const a of one === true ? [] : one) {
    if (other === true || other.some((b) => covers(b, a))) paths.add(a)
  }
  for (const b of other === true ? [] : other) {
    if (one === true || one.some((a) => covers(a, b))) paths.add(b)
  }
  return paths.size === 0 ? false : [...paths].sort()
}

/** A path covers itself and what lies under it. */
function covers(upper: string, lower: string): boolean {
  const below = pathSegments(lower)
  return pathSegments(upper).every((segment, at) => below[at] === segment)
}
