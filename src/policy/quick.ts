import { agentAlias, type Call } from '../base/call.ts'
import { higherRisk, type Risk } from '../base/risk.ts'
import { askLevel, declaredRisk, ownerRule, riskMatches } from './declared.ts'
import type { Declaration, Defaults, RiskMatch } from './document.ts'
import { globMatches } from './glob.ts'
import { judge } from './judge.ts'
import type { SettledMode } from './mode.ts'
import type { Governed, Policy } from './policy.ts'
import { type Gate, OPEN, prepare, refutes } from './refute.ts'
import type { Level } from './verdict.ts'

/*
 * The same answer as `judge`, as a number, without allocating: most calls are allowed, and this is
 * all they pay. It asks of each condition only whether it is definitely `no`; everything else
 * counts against the call. `judge` stays the readable truth; tests hold the two together.
 */

export type LevelOf = (call: Call, mode: SettledMode) => Level

/** All that can be known about a call from its kind, server and tool alone. */
interface Plan {
  readonly level: Level
  readonly gate: Gate
  /** A declaration in code beside the one in the file. */
  readonly besideLevel: Level
  readonly beside: Gate
  readonly risk: Risk | undefined
  /** Strictest first, so that the first that applies settles it. */
  readonly rules: readonly RulePlan[]
}

interface RulePlan {
  readonly level: Level
  readonly agent: string | undefined
  readonly risk: readonly RiskMatch[] | undefined
  readonly outer: Gate
  readonly inner: Gate
}

// Names come from models: without a bound, inventing names would fill the memory.
const MAX_PLANS = 10_000

const EMPTY = {}

export function quickLevel(policy: Policy): LevelOf {
  const tools = new Map<string, Plan>()
  const others = new Map<string, Map<string, Plan>>()
  let kept = 0

  function planFor(call: Call): Plan {
    const { kind, server, tool } = call
    const inProcess = !server && (kind === undefined || kind === 'tool')
    const plans = inProcess ? tools : shelf(kind ?? 'tool', server ?? '')
    const found = plans.get(tool)
    if (found !== undefined) return found
    const plan = makePlan(policy, call)
    if (kept < MAX_PLANS) {
      kept++
      plans.set(tool, plan)
    }
    return plan
  }

  function shelf(kind: string, server: string): Map<string, Plan> {
    // A kind holds no slash, so the two names cannot run into each other.
    const name = `${kind}/${server}`
    const plans = others.get(name)
    if (plans) return plans
    const fresh = new Map<string, Plan>()
    if (kept < MAX_PLANS) {
      kept++
      others.set(name, fresh)
    }
    return fresh
  }

  return (call, mode) => {
    if (mode.kind !== 'annotated' || !isOrdinary(call.args)) return judgedLevel(policy, call, mode)
    const plan = planFor(call)
    let level: Level = 0
    if (plan.level > 0 && !refutes(plan.gate, call)) level = plan.level
    if (plan.besideLevel > level && !refutes(plan.beside, call)) level = plan.besideLevel
    const { rules } = plan
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index] as RulePlan
      if (rule.level <= level) break
      if (applies(rule, plan, call)) level = rule.level
    }
    return level
  }
}

/**
 * Plain arguments, and nobody has added to what every object inherits: then reading a name gives
 * the argument of that name, or nothing. Otherwise the slow way checks each step.
 */
function isOrdinary(args: unknown): boolean {
  if (typeof args !== 'object' || args === null) return false
  for (const _ in EMPTY) return false
  const prototype = Object.getPrototypeOf(args)
  return prototype === Object.prototype || prototype === null
}

function applies(rule: RulePlan, plan: Plan, call: Call): boolean {
  if (rule.agent !== undefined && !globMatches(rule.agent, agentAlias(call) ?? '')) return false
  if (rule.risk !== undefined && !riskMatches(rule.risk, higherRisk(call.risk, plan.risk))) {
    return false
  }
  return !refutes(rule.outer, call) && !refutes(rule.inner, call)
}

function judgedLevel(policy: Policy, call: Call, mode: SettledMode): Level {
  return judge(policy, call, mode).looked.reduce<Level>(
    (top, { level }) => (level > top ? level : top),
    0,
  )
}

function makePlan(policy: Policy, call: Call): Plan {
  const rule = ownerRule(policy, call)
  const { defaults } = policy.owner
  const main = rule.kind === 'level' ? undefined : declared(rule.declaration, defaults)
  const beside =
    rule.kind === 'declared' && rule.beside ? declared(rule.beside, defaults) : undefined
  return {
    level: rule.kind === 'level' ? rule.level : (main?.level ?? 0),
    gate: main?.gate ?? OPEN,
    besideLevel: beside?.level ?? 0,
    beside: beside?.gate ?? OPEN,
    risk: declaredRisk(policy, call),
    rules: policy.governance
      .filter(({ rule: { tool, server } }) => {
        if (tool && !globMatches(tool.text, call.tool)) return false
        return !server || globMatches(server.text, call.server ?? '')
      })
      .map(planRule)
      .sort((a, b) => b.level - a.level),
  }
}

function declared(declaration: Declaration, defaults: Defaults): { level: Level; gate: Gate } {
  if (declaration.asks === 'never') return { level: 0, gate: OPEN }
  return { level: askLevel(declaration, defaults), gate: prepare(declaration.condition) }
}

function planRule({ rule, defaults }: Governed): RulePlan {
  const { then } = rule
  return {
    level: 'ask' in then ? askLevel(then.ask, defaults) : 3,
    // `*` matches whatever the agent is called, so there is nothing to ask.
    agent: rule.agent && !/^\*+$/.test(rule.agent.text) ? rule.agent.text : undefined,
    risk: rule.risk,
    outer: prepare(rule.condition),
    inner: 'ask' in then ? prepare(then.ask.condition) : OPEN,
  }
}
