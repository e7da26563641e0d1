import type {
  AgentEntry,
  DecisionPoint,
  Defaults,
  Group,
  Limits,
  PolicyDocument,
  ServerEntry,
  ToolEntry,
} from '../document.ts'
import type {
  DefaultsSection,
  GovernanceFile,
  LimitsSection,
  OwnerFile,
} from '../grammar/grammar.ts'
import type { Report } from '../read/read-report.ts'
import { type Around, checkGroup, dropUndefined } from './load-approval.ts'
import {
  agentOf,
  connectionOf,
  createAliases,
  serverOf,
  toolOf,
  warnAlike,
} from './load-entries.ts'
import { governanceOf, testsOf } from './load-governance.ts'
import { notifyOf } from './load-notify.ts'

/** A file that has been read → the document, checking what only the whole file can tell. */
export function ownerDocument(section: OwnerFile, file: string, report: Report): PolicyDocument {
  const { values } = section
  const groups = groupsOf(values.people)
  const defaults = defaultsOf(values.defaults)
  const around: Around = { report, groups, strangers: 'refused', decideBy: defaults.decideBy }
  for (const { value, place, path } of values.defaults?.values.approvers ?? []) {
    if (value !== '*' && 'group' in value) checkGroup(value.group, place, `${path}.group`, around)
  }
  const tools = (values.tools ?? []).map(({ key, value, place }) =>
    toolOf(key, value, place, `tools.${key}`, around),
  )
  warnAlike(values.tools ?? [], around)
  warnRetained(section, defaults, report)
  return dropUndefined({
    file,
    defaults,
    groups,
    tools: byName(tools),
    ...peersOf(values, around),
    governance: governanceOf(values.governance, around),
    pdp: decisionPointOf('pdp', section),
    tests: testsOf(values.tests),
    notify: notifyOf(values.notify, around),
    limits: limitsOf(values.limits),
    retain: values.retain,
    warnings: [],
  })
}

const DAY = 24 * 60 * 60 * 1_000

/** Nothing is erased while it waits for a decision, so it may be kept for longer than this says. */
function warnRetained(
  { values, places, place }: OwnerFile,
  { decideBy = DAY }: Defaults,
  report: Report,
): void {
  if (values.retain === undefined || values.retain >= decideBy) return
  const problem =
    'questions live longer than this (decide_by); what is open is kept until it is over'
  report.warn(places.get('retain') ?? place, 'retain', 'kept_longer', problem)
}

export function governanceDocument(
  section: GovernanceFile,
  file: string,
  report: Report,
): PolicyDocument {
  const { values } = section
  const groups = groupsOf(values.people)
  const around: Around = { report, groups, strangers: 'later' }
  return dropUndefined({
    file,
    defaults: {},
    groups,
    tools: new Map(),
    servers: new Map(),
    localAgents: new Map(),
    remoteAgents: new Map(),
    governance: governanceOf(values.governance, around),
    pdp: decisionPointOf(`pdp of ${file}`, section),
    tests: testsOf(values.tests),
    notify: [],
    limits: {},
    warnings: [],
  })
}

const PDP_TIMEOUT = 2_000

function decisionPointOf(
  rule: string,
  { values, places, place }: OwnerFile | GovernanceFile,
): DecisionPoint | undefined {
  const { pdp } = values
  if (!pdp) return undefined
  const { url, token, timeout = PDP_TIMEOUT, onError = 'deny' } = pdp
  const at = places.get('pdp') ?? place
  return dropUndefined({ rule, url, token, timeout, onError, place: at })
}

/** Servers and agents: everything that is called by an alias. */
function peersOf(values: OwnerFile['values'], around: Around) {
  const claim = createAliases(around)
  const servers: ServerEntry[] = []
  const localAgents: AgentEntry[] = []
  const remoteAgents: ServerEntry[] = []
  for (const { value: section, place, path } of values.mcp_servers ?? []) {
    const connection = connectionOf(section, around)
    const { alias, allowed_tools: allowed } = section.values
    if (Object.keys(connection).length === 0) {
      const problem = 'nothing says how to reach this server; its rules are ready, calls are not'
      around.report.warn(place, path, 'no_connection', problem)
    }
    if (alias === undefined) continue
    claim(alias, section.places.get('alias') ?? place, path)
    const rule = `mcp_servers.${alias}`
    const parts = { alias, rule, list: 'allowed_tools', allowed, connection } as const
    servers.push(serverOf(section, parts, around))
  }
  for (const { value: section, place, path } of values.local_agents ?? []) {
    const { alias } = section.values
    if (alias === undefined) continue
    claim(alias, section.places.get('alias') ?? place, path)
    localAgents.push(agentOf(section, alias, `local_agents.${alias}`, around))
  }
  for (const { value: section, place, path } of values.remote_agents ?? []) {
    const { alias, url, source, allowed_skills: allowed } = section.values
    if (alias === undefined) continue
    claim(alias, section.places.get('alias') ?? place, path)
    const connection = dropUndefined({ url, serverRef: source })
    const rule = `remote_agents.${alias}`
    const parts = { alias, rule, list: 'allowed_skills', allowed, connection } as const
    remoteAgents.push(serverOf(section, parts, around))
  }
  return {
    servers: byAlias(servers),
    localAgents: byAlias(localAgents),
    remoteAgents: byAlias(remoteAgents),
  }
}

export function byAlias<T extends { readonly alias: string }>(
  entries: readonly T[],
): Map<string, T> {
  return new Map(entries.map((entry) => [entry.alias, entry]))
}

export function byName(entries: readonly ToolEntry[]): Map<string, ToolEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]))
}

function groupsOf(people: GovernanceFile['values']['people']): Map<string, Group> {
  return new Map(people?.values.groups?.map(({ key, value }) => [key, value]))
}

function defaultsOf(section: DefaultsSection | undefined): Defaults {
  const { values } = section ?? { values: {} as DefaultsSection['values'] }
  return dropUndefined({
    undeclared: values.undeclared,
    gateway: values.gateway,
    approvers: values.approvers?.map(({ value }) => value),
    decideBy: values.decide_by,
    useBy: values.use_by,
    waitFor: values.wait_for,
    minAssurance: values.min_assurance,
    edit: values.edit,
    reason: values.reason,
    rememberNo: values.remember_no,
  })
}

function limitsOf(section: LimitsSection | undefined): Limits {
  const { values } = section ?? { values: {} as LimitsSection['values'] }
  return dropUndefined({
    pendingPerAgent: values.pending_per_agent,
    asksPerMinute: values.asks_per_minute,
    argsBytes: values.args_bytes,
    argsDepth: values.args_depth,
  })
}
