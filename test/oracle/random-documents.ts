import type {
  AllowedEntry,
  Defaults,
  GovernanceDocument,
  GovernanceRule,
  Match,
  OwnerDocument,
  People,
  Risk,
  RiskOperators,
  Server,
  Tool,
  Tools,
} from './documents.ts'
import * as pools from './pools.ts'
import type { Random } from './random.ts'
import {
  randomApproval,
  randomApprovalObject,
  randomApprovers,
  randomCondition,
  randomEdit,
  randomHumanInTheLoop,
  type Scope,
} from './random-approval.ts'

/** The owner's file; `ids` counts the rules, so that no two share a name. */
export function randomOwner(random: Random, ids: { used: number }): OwnerDocument {
  const people = randomPeople(random, ['finance', 'security', 'ops'])
  const scope: Scope = { people, parent: false }
  const delegating: Scope = { people, parent: true }
  const owner: OwnerDocument = { version: 1, people }
  if (random.chance(0.75)) owner.defaults = randomDefaults(random, people)
  if (random.chance(0.9)) owner.tools = randomTools(random, scope, random.between(1, 5))
  if (random.chance(0.85)) {
    owner.mcp_servers = random
      .some(pools.SERVERS, random.between(1, 3))
      .map((alias) => randomServer(random, alias, scope))
  }
  if (random.chance(0.6)) {
    owner.local_agents = random.some(pools.LOCAL_AGENTS, random.between(1, 2)).map((alias) => ({
      alias,
      source: `agents/${alias}.agf.yaml`,
      ...(random.chance(0.8) && { approval: randomApproval(random, delegating) }),
    }))
  }
  if (random.chance(0.7)) {
    owner.remote_agents = random.some(pools.REMOTE_AGENTS, random.between(1, 2)).map((alias) => ({
      alias,
      url: `https://${alias}.example.com/a2a`,
      ...(random.chance(0.6) && { approval: randomApproval(random, delegating) }),
      ...(random.chance(0.6) && {
        allowed_skills: randomEntries(random, pools.SKILLS, 'id', scope),
      }),
    }))
  }
  if (random.chance(0.3)) owner.governance = randomRules(random, delegating, ids)
  return owner
}

export function randomGovernance(
  random: Random,
  at: number,
  ids: { used: number },
): GovernanceDocument {
  const people = randomPeople(random, [`legal${at}`, `board${at}`])
  return { version: 1, people, governance: randomRules(random, { people, parent: true }, ids) }
}

function randomPeople(random: Random, names: string[]): People {
  const groups: People['groups'] = {}
  names.forEach((name, at) => {
    // The first is always a list, so that there is somebody to fill a quorum.
    const byClaim = at > 0 && random.chance(0.25)
    groups[name] = byClaim
      ? { claim: `groups/${name}` }
      : random.some(pools.PEOPLE, random.between(1, 4))
  })
  return { groups }
}

function randomDefaults(random: Random, people: People): Defaults {
  const defaults: Defaults = {}
  if (random.chance(0.55)) defaults.undeclared = random.pick(pools.LEVELS)
  if (random.chance(0.55)) defaults.gateway = random.pick(pools.LEVELS)
  if (random.chance(0.25)) defaults.approvers = randomApprovers(random, people)
  if (random.chance(0.3)) defaults.decide_by = random.pick(pools.LATE)
  if (random.chance(0.3)) defaults.use_by = random.pick(pools.EARLY)
  if (random.chance(0.3)) defaults.wait_for = random.pick(pools.EARLY)
  if (random.chance(0.3)) defaults.min_assurance = random.pick(pools.ASSURANCES)
  if (random.chance(0.3)) defaults.edit = randomEdit(random)
  if (random.chance(0.3)) defaults.reason = random.pick(pools.REASONS)
  return defaults
}

export function randomTools(random: Random, scope: Scope, count: number): Tools {
  const tools: Tools = {}
  for (const name of random.some(pools.TOOLS, count)) {
    const tool: Tool = {}
    const dice = random.next()
    if (dice < 0.65) tool.approval = randomApproval(random, scope)
    else if (dice < 0.75) tool.humanInTheLoop = randomHumanInTheLoop(random)
    if (random.chance(0.45)) tool.risk = random.pick(pools.RISKS)
    if (random.chance(0.25)) tool.secrets = random.some(pools.PATHS, random.between(1, 2))
    if (random.chance(0.1)) tool.result = random.pick(['keep', 'drop'] as const)
    if (random.chance(0.1)) tool.description = `What ${name} does`
    tools[name] = tool
  }
  return tools
}

function randomServer(random: Random, alias: string, scope: Scope): Server {
  const server: Server = { alias }
  const dice = random.next()
  if (dice < 0.4) Object.assign(server, { command: 'npx', args: ['-y', `${alias}-server`] })
  else if (dice < 0.8) server.url = `https://${alias}.example.com/mcp`
  else server.server_ref = `example.${alias}-v1`
  if (random.chance(0.5)) server.approval = randomApproval(random, scope)
  if (random.chance(0.6)) {
    server.allowed_tools = randomEntries(random, pools.SERVER_TOOLS, 'name', scope)
  }
  if (random.chance(0.4)) server.risk = random.pick(pools.RISKS)
  return server
}

function randomEntries(
  random: Random,
  names: string[],
  key: 'name' | 'id',
  scope: Scope,
): AllowedEntry[] {
  const count = random.chance(0.04) ? 0 : random.between(1, names.length)
  return random.some(names, count).map((name) => {
    if (random.chance(0.35)) return name
    const entry: AllowedEntry = { [key]: name }
    const dice = random.next()
    if (dice < 0.55) entry.approval = randomApproval(random, scope)
    else if (dice < 0.7) entry.humanInTheLoop = randomHumanInTheLoop(random)
    if (random.chance(0.35)) entry.risk = random.pick(pools.RISKS)
    return entry
  })
}

function randomRules(random: Random, scope: Scope, ids: { used: number }): GovernanceRule[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    ids.used += 1
    const rule: GovernanceRule = { id: `${random.pick(['a', 'B', 'z', 'rule-'])}${ids.used}` }
    if (random.chance(0.85)) rule.match = randomMatch(random)
    if (random.chance(0.55)) rule.condition = randomCondition(random, scope)
    if (random.chance(0.25)) rule.deny = random.pick(['Never', 'Not {{tool_name}}', 'No: "x"'])
    else rule.approval = random.chance(0.2) ? true : randomApprovalObject(random, scope)
    return rule
  })
}

function randomMatch(random: Random): Match {
  const match: Match = {}
  if (random.chance(0.7)) match.tool = random.pick(pools.TOOL_GLOBS)
  if (random.chance(0.3)) match.server = random.pick(pools.SERVER_GLOBS)
  if (random.chance(0.25)) match.agent = random.pick(pools.AGENT_GLOBS)
  if (random.chance(0.35)) match.risk = randomRiskMatch(random)
  return match
}

function randomRiskMatch(random: Random): Risk | RiskOperators {
  if (random.chance(0.2)) return random.pick(pools.RISKS)
  const operators: RiskOperators = {}
  for (let count = random.pick([1, 1, 2]); count > 0; count--) {
    const name = random.pick(['gt', 'gte', 'gte', 'lt', 'lte', 'ne', 'in', 'not_in'] as const)
    if (name === 'in' || name === 'not_in') {
      operators[name] = random.some(pools.RISKS, random.between(1, 4))
    } else {
      operators[name] = random.pick(pools.RISKS)
    }
  }
  return operators
}

export function randomSwitches(random: Random): { [place: string]: boolean } {
  const switches: { [place: string]: boolean } = {}
  const places = [
    ...pools.SERVERS.map((alias) => ({ alias, names: pools.SERVER_TOOLS })),
    ...pools.REMOTE_AGENTS.map((alias) => ({ alias, names: pools.SKILLS })),
  ]
  for (const { alias, names } of places) {
    if (random.chance(0.4)) switches[alias] = random.chance(0.5)
    if (random.chance(0.5)) switches[`${alias}/${random.pick(names)}`] = random.chance(0.5)
  }
  return switches
}
