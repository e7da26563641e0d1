import { type Call, higherRisk, type Risk, readKind, riskRank } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type Masked, mask, type Secrecy } from '../../base/secrets/mask.ts'
import type {
  AgentEntry,
  AllowedEntry,
  Ask,
  Declaration,
  Defaults,
  Place,
  RiskMatch,
  ServerEntry,
  ToolEntry,
} from '../document.ts'
import type { Rules } from '../policy.ts'
import { ALWAYS } from './condition.ts'
import type { Path } from './path.ts'
import type { Level, Source } from './verdict.ts'

/** The one rule of the owner's layer that answers a call, before its condition is looked at. */
export type OwnerRule = (
  | {
      readonly kind: 'declared'
      readonly source: Source
      readonly declaration: Declaration
      /** Where it stands in code of the gate's own process and not in a file. */
      readonly isInCode?: true
    }
  | {
      readonly kind: 'level'
      readonly source: Source
      readonly rule: string
      readonly level: Level
      readonly why: string
    }
) & {
  /** Declarations that count as well: in code, beside the file or beside each other. */
  readonly beside?: readonly Declaration[]
}

const NOWHERE: Place = { file: '', line: 0, column: 0 }
const WORD_LEVELS = { allow: 0, confirm: 1, review: 2, deny: 3 } as const

/** Design 4.2: the first source that is present answers, whatever it says. */
export function ownerRule(policy: Rules, call: Call): OwnerRule {
  if (isInProcess(call)) return inProcessRule(policy, call)
  const rule = declaredElsewhere(policy, call)
  const { called } = policy
  if (!called) return rule
  // Code that calls a server or hands work over can only add to what the files ask. A risk asks only
  // where no declaration answers.
  const asks = rule.kind === 'declared' && !called.approval ? undefined : riskAsk(called)
  const beside = [...(rule.beside ?? []), ...approvalsOf(called), ...(asks ? [asks] : [])]
  return beside.length > 0 ? { ...rule, beside } : rule
}

function isInProcess({ kind = 'tool', server }: Call): boolean {
  return kind === 'tool' && !server
}

function declaredElsewhere(policy: Rules, call: Call): OwnerRule {
  if (call.kind === 'agent') return delegationRule(policy, call)
  if (call.kind === 'skill') return serverRule(policy, call, policy.owner.remoteAgents)
  return serverRule(policy, call, policy.owner.servers)
}

function inProcessRule(policy: Rules, { tool }: Call): OwnerRule {
  const file = policy.owner.tools.get(tool)
  const code = joinEntries([policy.code.get(tool), policy.called])
  const inCode = approvalsOf(code)
  if (file?.approval) return declaredRule(file.approval, inCode)
  const [declaration, ...beside] = inCode
  if (code && declaration) {
    const asks = riskAsk(code)
    const others = asks ? [...beside, asks] : beside
    return { ...declaredRule(declaration, others), isInCode: true }
  }
  const risk = higherRisk(file?.risk, code?.risk)
  if (risk !== undefined) {
    const named = file?.risk === risk ? file : code
    return riskRule(policy.owner.defaults, named?.riskRule ?? `tools.${tool}.risk`, risk)
  }
  return undeclaredRule(policy.owner.defaults, `Tool '${tool}'`)
}

function declaredRule(
  declaration: Declaration,
  beside: readonly Declaration[],
): OwnerRule & { readonly kind: 'declared' } {
  const others = beside.length > 0 ? { beside } : {}
  return { kind: 'declared', source: 'tool', declaration, ...others }
}

export function riskRule(defaults: Defaults, rule: string, risk: Risk): OwnerRule {
  const level = risk === 'L0' ? 0 : askLevel(plainAsk(rule), defaults)
  return { kind: 'level', source: 'risk', rule, level, why: `risk is ${risk}` }
}

function undeclaredRule(defaults: Defaults, what: string): OwnerRule {
  return {
    kind: 'level',
    source: 'default',
    rule: 'defaults.undeclared',
    level: WORD_LEVELS[defaults.undeclared ?? 'allow'],
    why: `${what} is not declared, and defaults.undeclared is ${defaults.undeclared ?? 'allow'}.`,
  }
}

function delegationRule(policy: Rules, { tool }: Call): OwnerRule {
  const entry: AgentEntry | ServerEntry | undefined =
    policy.owner.localAgents.get(tool) ?? policy.owner.remoteAgents.get(tool)
  if (entry?.approval) return { kind: 'declared', source: 'tool', declaration: entry.approval }
  return undeclaredRule(policy.owner.defaults, `Agent '${tool}'`)
}

function serverRule(
  policy: Rules,
  { kind, tool, server = '' }: Call,
  servers: ReadonlyMap<string, ServerEntry>,
): OwnerRule {
  const { defaults } = policy.owner
  const entry = servers.get(server)
  if (!entry) return gatewayRule(defaults, `Server '${server}' is not declared`, 1)
  const read = readKind({ kind, tool, server })
  if (read) return readRule(policy, entry, read)
  const allowed: AllowedEntry | undefined = entry.allowed?.get(tool)
  if (entry.allowed && !allowed) {
    return kind === 'skill'
      ? {
          kind: 'level',
          source: 'server',
          rule: `${entry.rule}.allowed_skills`,
          level: 3,
          why: `Skill '${tool}' is not in allowed_skills of remote agent '${server}'.`,
        }
      : {
          kind: 'level',
          source: 'server',
          rule: `${entry.rule}.allowed_tools`,
          level: 3,
          why: `Tool '${tool}' is not in allowed_tools of server '${server}'.`,
        }
  }
  if (allowed?.approval) {
    const { approval: declaration, beside } = allowed
    return { kind: 'declared', source: 'tool', declaration, ...(beside ? { beside } : {}) }
  }
  return switchRule(policy, `${server}/${tool}`) ?? wholeServerRule(policy, entry)
}

/**
 * For a read: the word of the server's entry. Without one, a read that comes this far is judged as a
 * call to the server, because the server or governance makes it one (`accessVerdict`).
 */
function readRule(policy: Rules, entry: ServerEntry, kind: 'resources' | 'prompts'): OwnerRule {
  const word = entry[kind]
  if (word === undefined) return wholeServerRule(policy, entry)
  const rule = `${entry.rule}.${kind}`
  return {
    kind: 'level',
    source: 'server',
    rule,
    level: WORD_LEVELS[word],
    why: `${rule} is ${word}.`,
  }
}

/** What answers for tools of a server that neither an entry nor a switch of their own speaks of. */
export function wholeServerRule(policy: Rules, entry: ServerEntry): OwnerRule {
  const { alias, approval, unlessSwitched } = entry
  if (approval) return { kind: 'declared', source: 'server', declaration: approval }
  const switched = switchRule(policy, alias)
  if (switched) return switched
  if (unlessSwitched) return { kind: 'declared', source: 'server', declaration: unlessSwitched }
  return gatewayRule(policy.owner.defaults, `Server '${alias}' says nothing about approval`, 0)
}

function switchRule({ switches, owner }: Rules, name: string): OwnerRule | undefined {
  const on = switches.get(name)
  if (on === undefined) return undefined
  const rule = `operator.${name}`
  const level = on ? askLevel(plainAsk(rule), owner.defaults) : 0
  return {
    kind: 'level',
    source: 'operator',
    rule,
    level,
    why: `switched ${on ? 'on' : 'off'} in the inbox`,
  }
}

function gatewayRule({ gateway = 'confirm' }: Defaults, what: string, least: Level): OwnerRule {
  const level = WORD_LEVELS[gateway]
  return {
    kind: 'level',
    source: 'default',
    rule: 'defaults.gateway',
    level: level > least ? level : least,
    why: `${what}, and defaults.gateway is ${gateway}.`,
  }
}

/** An ask without words of its own: from risk, a switch, a default or a mode. */
export function plainAsk(rule: string): Ask {
  return { asks: 'when', rule, place: NOWHERE, condition: ALWAYS }
}

/** Named people make it `review`: their own, or the defaults of the same file. */
export function askLevel(ask: Ask, defaults: Defaults): 1 | 2 {
  return ask.approvers || ask.quorum || defaults.approvers ? 2 : 1
}

/** What the files say about the risk of a call; the call itself may say more. */
export function declaredRisk(policy: Rules, call: Call): Risk | undefined {
  return higherRisk(riskOf(policy, call), policy.called?.risk)
}

function riskOf(policy: Rules, call: Call): Risk | undefined {
  if (call.kind === 'agent') return undefined
  if (isInProcess(call)) {
    return higherRisk(policy.owner.tools.get(call.tool)?.risk, policy.code.get(call.tool)?.risk)
  }
  const servers = call.kind === 'skill' ? policy.owner.remoteAgents : policy.owner.servers
  const entry = servers.get(call.server ?? '')
  const said = entry?.allowed?.get(call.tool)?.risk ?? entry?.risk
  // Our rating, not a claim: a read is harmless unless the entry or its server says otherwise.
  return said ?? (readKind(call) ? 'L0' : undefined)
}

/** Arguments that are never shown, regardless of who asks. */
function secretPaths({ owner, code, called }: Rules, call: Call): readonly Path[] {
  const own = called?.secrets ?? []
  if (!isInProcess(call)) return own
  const { tool } = call
  return [...(owner.tools.get(tool)?.secrets ?? []), ...(code.get(tool)?.secrets ?? []), ...own]
}

/** The arguments of a call as every reader except its tool may see them. */
export function shownArguments(
  policy: Rules,
  call: Call,
  { paths = [], ...known }: Secrecy = {},
): Masked<JsonObject> {
  return mask(call.args, { ...known, paths: [...secretPaths(policy, call), ...paths] })
}

/**
 * Whether a rule about risk counts. `rated` is what the policy says; where it says nothing, the rule
 * counts. What a call claims may bring it under a rule and never takes it out of one: a rule that
 * fits the rating fits whatever is claimed, also where a higher claim would miss it.
 */
export function riskMatches(
  tests: readonly RiskMatch[],
  rated: Risk | undefined,
  claimed?: Risk,
): boolean {
  if (rated === undefined || fits(tests, rated)) return true
  return fits(tests, higherRisk(rated, claimed) ?? rated)
}

function fits(tests: readonly RiskMatch[], risk: Risk): boolean {
  return tests.every((test) => riskTest(test, riskRank(risk)))
}

function riskTest({ op, risks }: RiskMatch, rank: number): boolean {
  const ranks = risks.map(riskRank)
  const [limit = 0] = ranks
  switch (op) {
    case 'eq':
      return rank === limit
    case 'ne':
      return rank !== limit
    case 'gt':
      return rank > limit
    case 'gte':
      return rank >= limit
    case 'lt':
      return rank < limit
    case 'lte':
      return rank <= limit
    case 'in':
      return ranks.includes(rank)
    case 'not_in':
      return !ranks.includes(rank)
  }
}

/**
 * Several declarations of one tool in code, as one. All of them count: conditions and approvers add
 * up, the highest risk stands, and `approval: false` frees a call only where no other one asks.
 */
export function joinEntries(entries: readonly (ToolEntry | undefined)[]): ToolEntry | undefined {
  const [first, ...others] = entries.filter((entry) => entry !== undefined)
  return others.reduce<ToolEntry | undefined>(joined, first)
}

function joined(one: ToolEntry | undefined, other: ToolEntry): ToolEntry {
  if (!one) return other
  const [approval, ...besides] = [...approvalsOf(one), ...approvalsOf(other)]
  const risk = higherRisk(one.risk, other.risk)
  const riskAlone = higherRisk(riskWithoutApproval(one), riskWithoutApproval(other))
  return {
    ...other,
    ...one,
    ...(approval ? { approval } : {}),
    ...(besides.length > 0 ? { besides } : {}),
    ...(risk ? { risk } : {}),
    ...(riskAlone ? { riskAlone } : {}),
    riskRule: one.risk === risk ? one.riskRule : other.riskRule,
    secrets: [...one.secrets, ...other.secrets],
    result: one.result === 'drop' || other.result === 'drop' ? 'drop' : 'keep',
  }
}

export function approvalsOf(entry: ToolEntry | undefined): readonly Declaration[] {
  return entry?.approval ? [entry.approval, ...(entry.besides ?? [])] : []
}

function riskWithoutApproval({ approval, risk, riskAlone }: ToolEntry): Risk | undefined {
  return approval ? riskAlone : risk
}

/** What an entry asks for its risk, where it says nothing of approval. */
export function riskAsk(entry: ToolEntry): Ask | undefined {
  const risk = riskWithoutApproval(entry)
  if (risk === undefined || risk === 'L0') return undefined
  const { riskRule: rule, place } = entry
  return { asks: 'when', rule, place, condition: ALWAYS }
}
