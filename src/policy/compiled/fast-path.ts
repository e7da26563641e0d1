import { type Call, RISKS, type Risk } from '../../base/call.ts'
import type { Declaration, Defaults } from '../document.ts'
import type { ConditionGroup } from '../evaluate/condition.ts'
import { askLevel, declaredRisk, ownerRule, riskMatches } from '../evaluate/declared.ts'
import { globMatches } from '../evaluate/glob.ts'
import { judge } from '../evaluate/judge.ts'
import { type Outline, outlineOf } from '../evaluate/merge.ts'
import { ANNOTATED, type SettledMode } from '../evaluate/mode.ts'
import type { Level } from '../evaluate/verdict.ts'
import type { Governed, Policy, Rules } from '../policy.ts'
import { NO_PATTERN, patternFor } from './answer-pattern.ts'
import { type Chain, createChains } from './chain.ts'
import { type Group, sheetFor } from './refute.ts'
import { type Sheet, strictest } from './strictest.ts'

/*
 * What `judge` answers, at once: most calls are allowed, and `level` is all they pay. It asks of each
 * condition only whether it is definitely `no`; everything else counts against the call. `judge` stays
 * the readable truth; tests hold the two together.
 */
type Compiled = Pick<Policy, 'level' | 'outline'>

/** All that can be known from a call's kind, server and tool. */
interface Plan extends Sheet {
  /** The sheet in its fastest form, where there is room for that. */
  readonly chain: Chain | undefined
  /** Made when the first call is asked about. */
  answers: Answers | undefined
}

/** What the rules of one tool have answered, by the pattern of their answers. */
interface Answers {
  readonly patternOf: (call: Call) => number
  readonly outlines: Map<number, Outline>
}

/** Stands for a plan that would be too large: `judge` answers. By itself it would deny. */
const TOO_LARGE: Plan = {
  least: 3,
  groups: 0,
  reviews: 1,
  denies: 1,
  first: undefined,
  next: undefined,
  chain: undefined,
  answers: undefined,
}

// Names come from models: without a bound, inventing names would fill the memory.
const MAX_PLANS = 10_000

// So do arguments, and with them patterns of answers.
const MAX_OUTLINES = 5_000

// A rule with a condition inside and one outside needs the product of their groups.
const MAX_GROUPS = 1_000

export function compiled(rules: Rules): Compiled {
  const tools = new Map<string, Plan>()
  const elsewhere = new Map<string, Map<string, Map<string, Plan>>>()
  let kept = 0
  let outlined = 0

  function shelfFor({ kind = 'tool', server }: Call): Map<string, Plan> {
    if (!server && kind === 'tool') return tools
    return mapIn(mapIn(elsewhere, kind), server ?? '')
  }

  function forget(): void {
    tools.clear()
    elsewhere.clear()
    kept = 0
    outlined = 0
  }

  function makePlan(call: Call): Plan {
    if (kept >= MAX_PLANS) forget()
    kept++
    const groups = groupsFor(rules, call)
    const risk = declaredRisk(rules, call)
    const plan = groups.length > MAX_GROUPS ? TOO_LARGE : planOf(sheetFor(groups, risk))
    shelfFor(call).set(call.tool, plan)
    return plan
  }

  function makeAnswers(call: Call): Answers {
    const patternOf = patternFor(groupsFor(rules, call), declaredRisk(rules, call))
    return { patternOf, outlines: new Map() }
  }

  return {
    level(call, mode) {
      const { tool, args, kind, server } = call
      const usual = mode === ANNOTATED || mode.kind === 'annotated'
      // What is not an object has no arguments to read; `judge` knows how to say that.
      if (!usual || typeof args !== 'object' || args === null) return judgedLevel(rules, call, mode)
      const shelf = kind === undefined && server === undefined ? tools : shelfFor(call)
      const plan = shelf.get(tool) ?? makePlan(call)
      const { chain } = plan
      if (chain !== undefined) return chain(args, args, plan.groups)
      return plan === TOO_LARGE ? judgedLevel(rules, call, mode) : strictest(plan, call, args)
    },
    outline(call) {
      const plan = shelfFor(call).get(call.tool) ?? makePlan(call)
      if (plan === TOO_LARGE) return outlineOf(rules, judge(rules, call, ANNOTATED))
      plan.answers ??= makeAnswers(call)
      const { patternOf, outlines } = plan.answers
      const pattern = patternOf(call)
      const known = outlines.get(pattern)
      if (known) return known
      const fresh = outlineOf(rules, judge(rules, call, ANNOTATED))
      if (fresh === undefined || pattern === NO_PATTERN) return fresh
      if (++outlined > MAX_OUTLINES) forget()
      outlines.set(pattern, fresh)
      return fresh
    },
  }
}

const chainOf = createChains()

function planOf(sheet: Sheet): Plan {
  return { ...sheet, chain: chainOf(sheet), answers: undefined }
}

function judgedLevel(rules: Rules, call: Call, mode: SettledMode): Level {
  return judge(rules, call, mode).looked.reduce<Level>(
    (top, { level }) => (level > top ? level : top),
    0,
  )
}

/** Every group of conditions that could demand something of a call to this tool. */
function groupsFor(policy: Rules, call: Call): Group[] {
  const rule = ownerRule(policy, call)
  const { defaults } = policy.owner
  const own =
    rule.kind === 'level'
      ? [{ level: rule.level, clauses: [], agent: undefined, exceptRisks: undefined }]
      : declaredGroups(rule.declaration, defaults)
  const beside = (rule.beside ?? []).flatMap((one) => declaredGroups(one, defaults))
  const rated = declaredRisk(policy, call)
  return [
    ...own,
    ...beside,
    ...policy.governance.flatMap((governed) => governedGroups(governed, call, rated)),
  ]
}

function declaredGroups(declaration: Declaration, defaults: Defaults): Group[] {
  if (declaration.asks === 'never') return []
  const level = askLevel(declaration, defaults)
  return declaration.condition.groups.map((clauses) => {
    return { level, clauses, agent: undefined, exceptRisks: undefined }
  })
}

function governedGroups(
  { rule, defaults }: Governed,
  call: Call,
  rated: Risk | undefined,
): Group[] {
  const { tool, server, agent, risk, condition, then } = rule
  if (tool && !globMatches(tool.text, call.tool)) return []
  if (server && !globMatches(server.text, call.server ?? '')) return []
  const asks = 'ask' in then ? then.ask : undefined
  const about = {
    level: asks ? askLevel(asks, defaults) : (3 as const),
    // `*` matches whatever the agent is called, so there is nothing to ask.
    agent: agent && /[^*]/.test(agent.text) ? agent.text : undefined,
    // A rule that counts for the rating alone counts whatever the call claims.
    exceptRisks:
      risk && !riskMatches(risk, rated)
        ? RISKS.filter((claimed) => !riskMatches(risk, rated, claimed))
        : undefined,
  }
  const both = asks ? product(condition.groups, asks.condition.groups) : condition.groups
  return both.map((clauses) => ({ ...about, clauses }))
}

/** Kleene's AND distributes over his OR: (a or b) and c is (a and c) or (b and c). */
function product(
  outer: readonly ConditionGroup[],
  inner: readonly ConditionGroup[],
): ConditionGroup[] {
  const groups: ConditionGroup[] = []
  for (const one of outer) {
    for (const other of inner) {
      groups.push([...one, ...other])
      // One too many: the plan is given up, so the rest need not be made.
      if (groups.length > MAX_GROUPS) return groups
    }
  }
  return groups
}

function mapIn<V>(maps: Map<string, Map<string, V>>, name: string): Map<string, V> {
  let map = maps.get(name)
  if (map === undefined) {
    map = new Map()
    maps.set(name, map)
  }
  return map
}
