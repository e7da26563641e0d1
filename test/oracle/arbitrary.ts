import type {
  AllowedEntry,
  Call,
  Condition,
  ConditionGroup,
  EvaluationInput,
  JsonObject,
  Mode,
} from './documents.ts'
import * as pools from './pools.ts'
import type { Random } from './random.ts'
import { randomGovernance, randomOwner, randomSwitches, randomTools } from './random-documents.ts'
import { placeAt, randomArguments, valueNear, valueSatisfying } from './random-values.ts'

/** A policy, with the condition groups found in it, so that calls can aim at them. */
export type RandomPolicy = EvaluationInput & { mode: Mode; aims: ConditionGroup[] }

/** Documents that are valid by the grammar, and what code, operator and mode add to them. */
export function randomPolicy(random: Random): RandomPolicy {
  const ids = { used: 0 }
  const owner = randomOwner(random, ids)
  const governance = Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, (_, at) =>
    randomGovernance(random, at, ids),
  )
  const policy: RandomPolicy = { owner, governance, mode: randomMode(random), aims: [] }
  if (random.chance(0.35)) {
    const scope = { people: owner.people ?? { groups: {} }, parent: false }
    policy.code = randomTools(random, scope, random.between(1, 4))
  }
  if (random.chance(0.45)) policy.switches = randomSwitches(random)
  policy.aims = groupsIn([owner, governance, policy.code])
  return policy
}

function randomMode(random: Random): Mode {
  const dice = random.next()
  if (dice < 0.78) return { kind: 'annotated' }
  if (dice < 0.81) return { kind: 'denyAll' }
  if (dice < 0.86) return { kind: 'allowAll' }
  return { kind: 'answered', answer: random.pick([true, true, false, ...pools.LEVELS]) }
}

function groupsIn(part: unknown): ConditionGroup[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'condition' ? [value as Condition].flat() : groupsIn(value),
  )
}

/** A valid call, most often one the policy has something to say about. */
export function randomCall(random: Random, policy: RandomPolicy): Call {
  const call: Call = { ...randomTarget(random, policy), args: randomArguments(random) }
  if (call.kind === undefined && random.chance(0.5)) call.kind = 'tool'
  if (random.chance(0.7)) {
    const alias = random.pick(pools.CALLERS)
    call.agent = random.pick([
      alias,
      { alias },
      { alias, id: `${alias}_v2` },
      { id: 'id_only' },
      {},
    ])
  }
  if (random.chance(0.3)) call.risk = random.pick(pools.RISKS)
  if (random.chance(0.1)) call.run = 'run-1'
  if (random.chance(0.1)) call.key = 'key-1'

  const input: JsonObject = {}
  for (const group of random.some(policy.aims, 3)) aimAt(random, group, call.args, input)
  if (random.chance(call.kind === 'agent' ? 0.85 : 0.05)) call.parent = { input }
  return call
}

/** Arguments that meet every matcher of the group, or each of them nearly. */
function aimAt(random: Random, group: ConditionGroup, args: JsonObject, input: JsonObject): void {
  const meet = random.chance(0.6)
  for (const [path, matcher] of Object.entries(group.args_match ?? {})) {
    if (!meet && random.chance(0.25)) continue
    const value = meet ? valueSatisfying(random, matcher) : valueNear(random, matcher)
    const parent = /^parent\.input\.(.*)$/.exec(path)?.[1]
    if (parent !== undefined) placeAt(input, parent, value)
    else placeAt(args, path, value)
  }
}

type Target = Pick<Call, 'kind' | 'tool' | 'server'>

function randomTarget(random: Random, { owner, code }: RandomPolicy): Target {
  const stray = random.chance(0.12)
  const dice = random.next()
  if (dice < 0.45) {
    const declared = [...Object.keys(owner.tools ?? {}), ...Object.keys(code ?? {})]
    return { tool: nameFrom(random, stray, declared, pools.TOOLS) }
  }
  if (dice < 0.75) {
    const server = nameFrom(random, stray, aliases(owner.mcp_servers), pools.SERVERS)
    const allowed = owner.mcp_servers?.find(({ alias }) => alias === server)?.allowed_tools
    return {
      tool: nameFrom(random, random.chance(0.2), names(allowed), pools.SERVER_TOOLS),
      server,
    }
  }
  if (dice < 0.88) {
    const server = nameFrom(random, stray, aliases(owner.remote_agents), pools.REMOTE_AGENTS)
    const allowed = owner.remote_agents?.find(({ alias }) => alias === server)?.allowed_skills
    const tool = nameFrom(random, random.chance(0.2), names(allowed), pools.SKILLS)
    return { kind: 'skill', tool, server }
  }
  const declared = [...aliases(owner.local_agents), ...aliases(owner.remote_agents)]
  const known = [...pools.LOCAL_AGENTS, ...pools.REMOTE_AGENTS]
  return { kind: 'agent', tool: nameFrom(random, stray, declared, known) }
}

/** A declared name; for a stray call any other name, perhaps one that belongs somewhere else. */
function nameFrom(random: Random, stray: boolean, declared: string[], known: string[]): string {
  if (!stray) return random.pick(declared.length > 0 ? declared : known)
  const elsewhere = [...pools.SERVERS, ...pools.REMOTE_AGENTS, ...pools.LOCAL_AGENTS, 'pay']
  return random.pick([...known, ...known, ...pools.STRANGERS, ...elsewhere])
}

function aliases(list: { alias: string }[] | undefined): string[] {
  return (list ?? []).map(({ alias }) => alias)
}

function names(entries: AllowedEntry[] | undefined): string[] {
  return (entries ?? []).map((entry) =>
    typeof entry === 'string' ? entry : (entry.name ?? entry.id ?? ''),
  )
}
