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
  if (level !== 'review' || declared.quorum !== undefined) return []
  return defaults?.approvers ?? ['*']
}

const ASSURANCE: Assurance[] = ['elicitation', 'chat', 'signed-in', 'passkey']
const REASON: ReasonNeed[] = ['optional', 'required', 'required_always']

/** The terms of the one question, merged from every finding that asks. */
export function termsOf(findings: Finding[], input: EvaluationInput, call: Call): Terms {
  const defaults = input.owner.defaults ?? {}
  // Governance that says nothing adds nothing, unless no file of the owner says anything.
  const filesAsk = findings.some(
    ({ source, rule }) => source !== 'governance' && !rule.startsWith('code.'),
  )
  const mayFill = (finding: Finding) => finding.source !== 'governance' || !filesAsk
  const fill: Defaults = { decide_by: '24h', use_by: '15m', ...defaults }
  const gaps = (finding: Finding): Defaults => (mayFill(finding) ? fill : {})

  const decideBy = findings.map((f) => f.declared.decide_by ?? gaps(f).decide_by)
  const useBy = findings.map((f) => f.declared.use_by ?? gaps(f).use_by)
  const remindAfter = findings.map((f) => f.declared.remind_after)
  const assurance = findings.map((f) => f.declared.min_assurance ?? gaps(f).min_assurance)
  const reason = findings.map((f) => f.declared.reason ?? gaps(f).reason)
  const edit = findings.map((f) => f.declared.edit ?? gaps(f).edit ?? true)

  return {
    decideBy: shortest(decideBy) ?? 0,
    useBy: shortest(useBy) ?? 0,
    waitFor: defaults.wait_for === undefined ? undefined : milliseconds(defaults.wait_for),
    remindAfter: shortest(remindAfter),
    minAssurance: strictest(ASSURANCE, assurance),
    reason: strictest(REASON, reason),
    edit: edit.reduce(editableInBoth, true),
    grants: findings.every((f) => f.declared.grants !== false) && knownRisk(input, call) !== 'L5',
  }
}

function shortest(clocks: (string | undefined)[]): number | undefined {
  const set = clocks.filter((clock) => clock !== undefined)
  return set.length === 0 ? undefined : Math.min(...set.map(milliseconds))
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
