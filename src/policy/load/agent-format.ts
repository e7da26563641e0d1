import type { AgentEntry, Place, PolicyDocument, ServerEntry, ToolEntry } from '../document.ts'
import {
  type ActionSpace,
  agentFormatFile,
  type Constraints,
} from '../grammar/agent-format-grammar.ts'
import type { Allowed } from '../grammar/grammar-entries.ts'
import type { Report } from '../read/read-report.ts'
import type { At, Placed } from '../read/read-shape.ts'
import type { Tree } from '../read/read-tree.ts'
import { type Around, dropUndefined } from './load-approval.ts'
import { agentOf, connectionOf, createAliases, serverOf, toolOf } from './load-entries.ts'
import { byAlias, byName } from './load-file.ts'

/** A file that says which version of the Agent Format schema it follows. */
export function isAgentFormat(tree: Tree): boolean {
  return tree.kind === 'map' && tree.entries.some(({ key }) => key === 'schema_version')
}

export function readAgentFormat(
  tree: Tree,
  at: At,
  file: string,
  knownPolicies: ReadonlySet<string>,
): PolicyDocument | undefined {
  // Most of our keys have no home in this format.
  const homes = new Map([...at.homes].filter(([, home]) => home === 'in approval'))
  const section = agentFormatFile.read(tree, { ...at, homes })
  if (!section) return undefined
  const { metadata, action_space: space, constraints } = section.values
  checkPolicies(constraints, knownPolicies, at.report)
  if (metadata?.values.id === undefined) {
    const problem = 'the file has no metadata.id, so {{agent_id}} will be empty'
    at.report.warn(section.place, 'metadata', 'no_agent_id', problem)
  }
  // The format has no people; the groups it names are defined by governance files.
  const around: Around = { report: at.report, groups: new Map(), strangers: 'later' }
  return dropUndefined({
    file,
    agentId: metadata?.values.id,
    defaults: {},
    groups: new Map(),
    tools: byName(toolsOf(space, around)),
    ...peersOf(space, around),
    governance: [],
    tests: [],
    notify: [],
    limits: {},
    warnings: [],
  })
}

function toolsOf(space: ActionSpace | undefined, around: Around): ToolEntry[] {
  return (space?.values.local_tools ?? []).flatMap(({ value: section, place }) => {
    const { alias } = section.values
    if (alias === undefined) return []
    return [toolOf(alias, section, place, `action_space.local_tools.${alias}`, around)]
  })
}

function peersOf(space: ActionSpace | undefined, around: Around) {
  const { mcp_servers = [], local_agents = [], remote_agents = [] } = space?.values ?? {}
  const claim = createAliases(around)
  const servers = mcp_servers.flatMap(({ value: section, path }): ServerEntry[] => {
    const connection = connectionOf(section, around)
    const { alias, allowed_tools, allow_tools } = section.values
    const allowed = oneOf(allowed_tools, allow_tools, 'allow_tools', section, around)
    if (alias === undefined) return []
    claim(alias, section.places.get('alias') ?? section.place, path)
    const rule = `action_space.mcp_servers.${alias}`
    return [serverOf(section, { alias, rule, list: 'allowed_tools', allowed, connection }, around)]
  })
  const localAgents = local_agents.flatMap(({ value: section, path }): AgentEntry[] => {
    const { alias } = section.values
    if (alias === undefined) return []
    claim(alias, section.places.get('alias') ?? section.place, path)
    return [agentOf(section, alias, `action_space.local_agents.${alias}`, around)]
  })
  const remoteAgents = remote_agents.flatMap(({ value: section, path }): ServerEntry[] => {
    const { alias, url, source, allowed_skills, allow_skills } = section.values
    const allowed = oneOf(allowed_skills, allow_skills, 'allow_skills', section, around)
    if (alias === undefined) return []
    claim(alias, section.places.get('alias') ?? section.place, path)
    const connection = dropUndefined({ url, serverRef: source })
    const rule = `action_space.remote_agents.${alias}`
    return [serverOf(section, { alias, rule, list: 'allowed_skills', allowed, connection }, around)]
  })
  return {
    servers: byAlias(servers),
    localAgents: byAlias(localAgents),
    remoteAgents: byAlias(remoteAgents),
  }
}

type Names = readonly Placed<Allowed>[]

/** The documentation says `allowed_tools`, the published schema `allow_tools`. */
function oneOf(
  documented: Names | undefined,
  published: Names | undefined,
  word: 'allow_tools' | 'allow_skills',
  { places, path }: { readonly places: ReadonlyMap<string, Place>; readonly path: string },
  { report }: Around,
): Names | undefined {
  const other = word.replace('allow', 'allowed')
  const place = places.get(word)
  if (place && places.has(other)) {
    const problem = `\`${word}\` and \`${other}\` say the same thing; keep one of them`
    report.mistake(place, `${path}.${word}`, 'both_keys', problem)
  }
  return documented ?? published
}

function checkPolicies(
  constraints: Constraints | undefined,
  known: ReadonlySet<string>,
  report: Report,
): void {
  for (const { value, place, path } of constraints?.values.governance_policies ?? []) {
    const { policy_ref: name, required = true } = value.values
    if (name === undefined || known.has(name)) continue
    const spot = value.places.get('policy_ref') ?? place
    if (required) {
      const problem = `the policy "${name}" is required and not at hand; give its file with --governance`
      report.mistake(spot, `${path}.policy_ref`, 'policy_not_here', problem)
    } else {
      const problem = `the policy "${name}" is not at hand; the agent runs without it`
      report.warn(spot, `${path}.policy_ref`, 'policy_not_here', problem)
    }
  }
}
