import type {
  SwitchState,
  ToolChange,
  WireAgentTool,
  WireAnswer,
  WireServer,
  WireServerTool,
  WireSignIn,
} from '../../api/servers.ts'
import type { WireSwitch } from '../../api/switches.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { given } from '../../base/json/json.ts'
import type { SeenTool } from '../../gate/tools/tool-notes.ts'
import type { Place, ServerEntry } from '../../policy/document.ts'
import { declaredRisk, wholeServerRule } from '../../policy/evaluate/declared.ts'
import { LEVELS, type Verdict } from '../../policy/evaluate/verdict.ts'
import { type SwitchTarget, switchEffect, switchName } from '../../policy/load/switch.ts'
import type { Policy } from '../../policy/policy.ts'
import { explain } from '../../policy/tooling/explain.ts'
import type { KnownTools } from '../known-tools.ts'
import type { UpstreamServer, UpstreamTool } from '../upstreams.ts'

export interface Found {
  readonly policy: Policy
  readonly servers: readonly UpstreamServer[]
  readonly tools: readonly UpstreamTool[]
  readonly switches: readonly WireSwitch[]
  readonly known: KnownTools
}

/** Every server a file declares or a client was led to, each with all its tools. */
export function serversOf(found: Found): WireServer[] {
  const { policy, servers, tools } = found
  const aliases = [
    ...policy.owner.servers.keys(),
    ...servers.map(({ alias }) => alias),
    ...tools.map(({ server }) => server),
    ...found.known.registered.flatMap(({ server }) => server ?? []),
    ...found.known.counts.flatMap(({ server }) => server ?? []),
  ]
  return [...new Set(aliases)].map((alias) => serverOf(alias, found))
}

/** Tools of no server: declared in a file, guarded by an agent, or asked about. */
export function ownTools(found: Found): WireServerTool[] {
  const named = [...found.policy.owner.tools.keys()]
  return [...new Set([...named, ...namesOnRecord(undefined, found)])]
    .map((tool) => recordedTool(tool, undefined, found))
    .sort(byName)
}

function serverOf(alias: string, found: Found): WireServer {
  const { policy } = found
  const entry = policy.owner.servers.get(alias)
  const upstream = found.servers.find((one) => one.alias === alias)
  const seen = found.tools.filter(({ server }) => server === alias)
  const others = [...(entry?.allowed?.keys() ?? []), ...namesOnRecord(alias, found)].filter(
    (name) => !seen.some(({ tool }) => tool === name),
  )
  return {
    alias,
    ...given({
      description: entry?.description,
      at: entry && lineOf(entry.place),
      reached: upstream?.reached,
      hosted: upstream?.hosted,
      seen: upstream?.seen,
      signIn: upstream?.signIn && wireSignIn(upstream.signIn),
      switch: switchOf(found, { server: alias }),
    }),
    answer: entry ? wholeAnswer(policy, entry) : answerTo(policy, alias, 'any'),
    tools: [
      ...seen.map((tool) => toolOf(tool, found)),
      ...[...new Set(others)].map((tool) => recordedTool(tool, alias, found)),
    ].sort(byName),
  }
}

function wireSignIn({ isNeeded, state }: NonNullable<UpstreamServer['signIn']>): WireSignIn {
  if (!state) return { needed: isNeeded }
  const { issuer, scopes, at, lost, wanted, by } = state
  return {
    needed: isNeeded,
    last: {
      ...{ issuer, scopes: [...scopes], at, by: by.subject },
      ...given({ lost, wants: wanted && [...wanted] }),
    },
  }
}

const byName = (a: WireServerTool, b: WireServerTool) => (a.tool < b.tool ? -1 : 1)

// Agents can ask about any name they like; a page of them is of no use.
const MOST_CALLED = 200

/** What gates wrote down, what was switched, and what people were asked about lately. */
function namesOnRecord(server: string | undefined, { known, switches }: Found): string[] {
  const own = <T extends { server?: string }>(list: readonly T[]) =>
    list.filter((one) => one.server === server)
  return [
    ...own(known.registered).map(({ tool }) => tool),
    ...own(switches).flatMap(({ tool }) => tool ?? []),
    ...own(known.counts)
      .slice(0, MOST_CALLED)
      .map(({ tool }) => tool),
  ]
}

/** Doors and counts: what is on record about one tool. */
function recordOf(server: string | undefined, tool: string, { known }: Found) {
  const isIt = (one: { server?: string; tool: string }) =>
    one.server === server && one.tool === tool
  const registered = known.registered.filter(isIt)
  const count = known.counts.find(isIt)
  const { asked = 0, approved = 0, denied = 0, doors = [] } = count ?? {}
  return {
    registered,
    count,
    doors: [...registered.map(({ door }) => door), ...doors],
    lately: { asked, approved, denied },
  }
}

function toolOf(upstream: UpstreamTool, found: Found): WireServerTool {
  const { server, tool, definition, changed, risk, usedAt } = upstream
  const said = definition ?? changed?.definition
  const { doors, lately } = recordOf(server, tool, found)
  return {
    tool,
    ...given({ title: textIn(said, 'title'), description: textIn(said, 'description') }),
    risk: risk.risk,
    riskFrom: risk.from,
    ...given({ riskSign: risk.sign }),
    state: stateOf(upstream),
    ...given({ change: changeOf(upstream), usedAt, inputSchema: said?.inputSchema }),
    doors: [...new Set(['mcp', ...doors])].sort(),
    lately,
    answer: answerTo(found.policy, server, tool),
    ...given({ switch: switchOf(found, { server, tool }) }),
  }
}

/** Of which no server's listing tells: a file, a gate or an approval names it. */
function recordedTool(tool: string, server: string | undefined, found: Found): WireServerTool {
  const { registered, count, doors, lately } = recordOf(server, tool, found)
  const risk = declaredRisk(found.policy, { ...given({ server }), tool, args: {} })
  return {
    tool,
    ...given({ description: agreed(registered), risk }),
    riskFrom: risk === undefined ? 'nothing' : 'operator',
    state: registered.length > 0 ? 'guarded' : count ? 'called' : 'unseen',
    answer: stricter(answerTo(found.policy, server, tool), weakest(registered)),
    ...given({ agents: registered.length > 0 ? registered.map(agentTool) : undefined }),
    ...given({ switch: server === undefined ? undefined : switchOf(found, { server, tool }) }),
    doors: [...new Set(doors)].sort(),
    lately,
  }
}

/** What all of them say: no agent speaks for the tool of another. */
function agreed(registered: readonly SeenTool[]): string | undefined {
  const [first, ...others] = registered
  const said = first?.description
  return others.every(({ description }) => description === said) ? said : undefined
}

function agentTool({ agent, door, description, digest }: SeenTool): WireAgentTool {
  return { ...given({ agent }), door, ...given({ description }), definition: digest }
}

/** What code demands wherever the tool is guarded. */
function weakest(registered: readonly SeenTool[]): string | undefined {
  const [first] = registered
    .map(({ declared }) => declared as Verdict['verdict'])
    .sort((a, b) => (LEVELS[a] ?? 0) - (LEVELS[b] ?? 0))
  return first
}

/** What an agent's own code demands is known to its gate alone. */
function stricter(answer: WireAnswer, declared: string | undefined): WireAnswer {
  const verdict = declared as Verdict['verdict']
  if (declared === undefined || !(LEVELS[verdict] > LEVELS[answer.verdict])) return answer
  return { verdict, depends: false, source: 'code', rule: 'declared in code' }
}

function stateOf({ changed, digest, isGone }: UpstreamTool): WireServerTool['state'] {
  if (changed) return digest === '' ? 'new' : 'changed'
  return isGone ? 'gone' : 'pinned'
}

function changeOf({ id, digest, definition, changed }: UpstreamTool): ToolChange | undefined {
  if (!changed) return undefined
  return {
    id,
    from: digest,
    to: changed.digest,
    ...given({ before: jsonOf(definition), after: jsonOf(changed.definition) }),
  }
}

/** Keys in one order, so that only what changed differs. */
function jsonOf(value: JsonObject | undefined): string | undefined {
  return value && JSON.stringify(sorted(value), null, 2)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/** What a call gets of which no argument is known: the strictest it can be. */
export function answerTo(policy: Policy, server: string | undefined, tool: string): WireAnswer {
  const { verdict, rules } = explain(policy, { ...given({ server }), tool, args: {} })
  const level = (word: string) => LEVELS[word as Verdict['verdict']]
  const [first] = [...rules].sort((a, b) => level(b.asks) - level(a.asks))
  return {
    verdict: verdict.verdict,
    depends: rules.some(({ values }) => values.length > 0),
    source: first?.source ?? 'default',
    rule: first?.rule ?? '',
    ...given({ at: first?.place?.replace(/:\d+$/, '') }),
  }
}

function wholeAnswer(policy: Policy, entry: ServerEntry): WireAnswer {
  const rule = wholeServerRule(policy, entry)
  const verdict = switchEffect(policy, { server: entry.alias }, undefined)?.before ?? 'deny'
  if (rule.kind === 'level') {
    return { verdict, depends: false, source: rule.source, rule: rule.rule }
  }
  const { declaration, source } = rule
  return {
    verdict,
    depends: declaration.asks === 'when' && declaration.condition.form !== 'always',
    source,
    rule: declaration.rule,
    ...given({ at: lineOf(declaration.place) }),
  }
}

function switchOf({ policy, switches }: Found, target: SwitchTarget): SwitchState | undefined {
  const [on, off, clear] = [true, false, undefined].map((to) => switchEffect(policy, target, to))
  if (!on || !off || !clear) return undefined
  const offer = ({ after, lowers }: typeof on) => ({ after, lowers })
  return {
    ...given({ set: switches.find((one) => switchName(one) === switchName(target)) }),
    ...(on.fixedBy ? { fixed: { rule: on.fixedBy.rule, at: placeOf(on.fixedBy.place) } } : {}),
    on: offer(on),
    off: offer(off),
    clear: offer(clear),
  }
}

/** Undefined for what stands in no file. */
function lineOf(place: Place): string | undefined {
  return place.line === 0 ? undefined : placeOf(place)
}

/** What is declared in no file, but in a tool of the studio, has no line. */
export function placeOf({ file, line }: Place): string {
  return line === 0 ? file : `${file}:${line}`
}

function textIn(value: JsonObject | undefined, key: string): string | undefined {
  const found = value?.[key]
  return typeof found === 'string' ? found : undefined
}
