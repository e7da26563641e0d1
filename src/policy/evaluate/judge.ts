import { agentAlias, type Call, higherRisk, type Risk } from '../../base/call.ts'
import type { Approver } from '../../base/oversight.ts'
import type { Ask, Declaration, Defaults, GovernanceRule, Place, ToolEntry } from '../document.ts'
import type { Governed, Rules } from '../policy.ts'
import { type Answer, every } from './answer.ts'
import { type Finding, judgeCondition } from './condition.ts'
import {
  approvalsOf,
  askLevel,
  declaredRisk,
  type OwnerRule,
  ownerRule,
  plainAsk,
  riskAsk,
  riskMatches,
  riskRule,
} from './declared.ts'
import { globMatches } from './glob.ts'
import { DENIED_BY_MODE, type SettledMode } from './mode.ts'
import { LEVELS, type Level, type Source } from './verdict.ts'

/** One rule that was looked at, what it answered and the values it saw. */
export interface Looked {
  readonly layer: 'owner' | 'governance'
  readonly source: Source
  readonly rule: string
  readonly place?: Place
  readonly answer: Answer
  /** 0 when the rule lets the call pass. */
  readonly level: Level
  /** Why, where the rule is not a condition; the text of a denial. */
  readonly why?: string
  /** What the rule demands of people, when it asks. */
  readonly ask?: Ask
  /** Who words its question, where that is not a file: the gate's own program, or a remote agent. */
  readonly worded?: 'code' | 'agent'
  /** Defaults that fill in what `ask` leaves open: those of the same file. */
  readonly defaults: Defaults
  /** Every value that was compared, by condition group. */
  readonly findings: readonly (readonly Finding[])[]
}

export interface Judgement {
  readonly looked: readonly Looked[]
  /** Governance rules whose `match` does not fit this call. */
  readonly unmatched: number
  readonly risk: Risk | undefined
}

/**
 * Every rule that concerns this call, each with its answer. The readable half of `evaluate`.
 * `agents`: what a remote agent says of its tool. It stands beside all other rules and replaces none.
 */
export function judge(
  policy: Rules,
  given: Call,
  mode: SettledMode,
  agents?: ToolEntry,
): Judgement {
  const call = agents?.risk ? { ...given, risk: higherRisk(given.risk, agents.risk) } : given
  const rated = declaredRisk(policy, call)
  const risk = higherRisk(call.risk, rated)
  const governed = policy.governance.filter(({ rule }) => governs(rule, call, rated))
  return {
    looked: [
      ...judgeOwner(policy, call, mode),
      ...(agents ? judgeAgents(agents, policy, call, mode) : []),
      ...governed.map((one) => judgeGoverned(one, call)),
    ],
    unmatched: policy.governance.length - governed.length,
    risk,
  }
}

function judgeAgents(agents: ToolEntry, policy: Rules, call: Call, mode: SettledMode): Looked[] {
  const { risk, riskRule: rule } = agents
  const isRuled = mode.kind === 'annotated' || (mode.kind === 'answered' && mode.answer === true)
  if (!isRuled) return []
  const { defaults } = policy.owner
  if (agents.approval) {
    const alone = riskAsk(agents)
    return [...approvalsOf(agents), ...(alone ? [alone] : [])].map((one): Looked => {
      return { ...judgeDeclaration(one, 'tool', call, defaults), worded: 'agent' }
    })
  }
  // A risk asks only where no declaration answers, as in files.
  if (risk === undefined || ownerRule(policy, call).kind === 'declared') return []
  return judgeDeclared(riskRule(defaults, rule, risk), call, defaults)
}

function judgeOwner(policy: Rules, call: Call, mode: SettledMode): Looked[] {
  const { defaults } = policy.owner
  switch (mode.kind) {
    case 'annotated':
      return judgeDeclared(ownerRule(policy, call), call, defaults)
    case 'denyAll':
      return [modeLooked('mode.denyAll', 3, defaults, DENIED_BY_MODE.message)]
    case 'allowAll':
      return [modeLooked('mode.allowAll', 0, defaults, 'the mode allows every call')]
    case 'observe':
      return [modeLooked('mode.observe', 0, defaults, 'the rules are observed, not enforced')]
    case 'answered':
      return judgeAnswered(policy, call, mode.answer)
  }
}

function judgeAnswered(policy: Rules, call: Call, answer: boolean | string): Looked[] {
  const { defaults } = policy.owner
  if (answer === true) {
    const declared = judgeDeclared(ownerRule(policy, call), call, defaults)
    if (declared.some(({ level }) => level > 0)) return declared
    return [modeLooked('mode.custom', askLevel(plainAsk('mode.custom'), defaults), defaults)]
  }
  if (answer === false) return [modeLooked('mode.custom', 0, defaults, 'the predicate said no')]
  // A word that is none of ours came from a predicate in plain JavaScript: ask, as for `true`.
  const known = typeof answer === 'string' && Object.hasOwn(LEVELS, answer)
  if (!known) return judgeAnswered(policy, call, true)
  const level = LEVELS[answer as keyof typeof LEVELS]
  return [
    modeLooked('mode.custom', level, defaults, level === 3 ? DENIED_BY_MODE.message : undefined),
  ]
}

function modeLooked(rule: string, level: Level, defaults: Defaults, why?: string): Looked {
  return fixed({ source: 'mode', rule, level, why }, defaults)
}

/** A rule without a condition: it always answers the same. */
function fixed(
  {
    source,
    rule,
    level,
    why,
  }: { source: Source; rule: string; level: Level; why?: string | undefined },
  defaults: Defaults,
): Looked {
  return {
    layer: 'owner',
    source,
    rule,
    answer: level > 0 ? 'yes' : 'no',
    level,
    ...(why === undefined ? {} : { why }),
    ...(level === 1 || level === 2 ? { ask: askOf(rule, level, defaults) } : {}),
    defaults,
    findings: [],
  }
}

/** `review` without names is anyone with the approver role. */
function askOf(rule: string, level: 1 | 2, { approvers }: Defaults): Ask {
  const anyone: readonly Approver[] = ['*']
  return level === 2 ? { ...plainAsk(rule), approvers: approvers ?? anyone } : plainAsk(rule)
}

function judgeDeclared(rule: OwnerRule, call: Call, defaults: Defaults): Looked[] {
  const { source, beside = [] } = rule
  const others = beside.map((one): Looked => {
    return { ...judgeDeclaration(one, 'tool', call, defaults), worded: 'code' }
  })
  if (rule.kind === 'level') return [fixed(rule, defaults), ...others]
  const first = judgeDeclaration(rule.declaration, source, call, defaults)
  return [rule.isInCode ? { ...first, worded: 'code' } : first, ...others]
}

function judgeDeclaration(
  declaration: Declaration,
  source: Source,
  call: Call,
  defaults: Defaults,
): Looked {
  const { rule, place } = declaration
  if (declaration.asks === 'never') {
    const why = 'approval: false'
    return {
      layer: 'owner',
      source,
      rule,
      place,
      answer: 'no',
      level: 0,
      why,
      defaults,
      findings: [],
    }
  }
  const { condition } = declaration
  const { answer, group, findings } = judgeCondition(condition, call)
  const name = {
    always: rule,
    group: `${rule}.condition`,
    list: group < 0 ? `${rule}.condition` : `${rule}.condition[${group}]`,
  }[condition.form]
  return {
    layer: 'owner',
    source,
    rule: name,
    place,
    answer,
    level: answer === 'no' ? 0 : askLevel(declaration, defaults),
    ask: declaration,
    defaults,
    findings,
  }
}

/**
 * Whether `match` fits. An absent server or agent is the empty string, which only `*` matches.
 * `rated` is the risk that the policy gives, without what the call claims.
 */
export function governs(rule: GovernanceRule, call: Call, rated: Risk | undefined): boolean {
  const { tool, server, agent } = rule
  if (tool && !globMatches(tool.text, call.tool)) return false
  if (server && !globMatches(server.text, call.server ?? '')) return false
  if (agent && !globMatches(agent.text, agentAlias(call) ?? '')) return false
  return rule.risk === undefined || riskMatches(rule.risk, rated, call.risk)
}

function judgeGoverned({ rule, defaults }: Governed, call: Call): Looked {
  const { then } = rule
  const outer = judgeCondition(rule.condition, call)
  const inner = 'ask' in then ? judgeCondition(then.ask.condition, call) : undefined
  const answer = inner ? every([outer.answer, inner.answer]) : outer.answer
  const applies = answer !== 'no'
  return {
    layer: 'governance',
    source: 'governance',
    rule: rule.rule,
    place: rule.place,
    answer,
    level: !applies ? 0 : 'ask' in then ? askLevel(then.ask, defaults) : 3,
    ...('ask' in then ? { ask: then.ask } : { why: then.deny }),
    defaults,
    findings: [...outer.findings, ...(inner?.findings ?? [])].filter((group) => group.length > 0),
  }
}
