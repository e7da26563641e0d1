import type { JsonObject } from '../../base/json.ts'
import { wholeServerRule } from '../../policy/declared.ts'
import type { Place, ServerEntry } from '../../policy/document.ts'
import { explain } from '../../policy/explain.ts'
import type { Policy } from '../../policy/policy.ts'
import { type SwitchTarget, switchEffect, switchName } from '../../policy/switch.ts'
import { LEVELS, type Verdict } from '../../policy/verdict.ts'
import type {
  SwitchState,
  ToolChange,
  WireAnswer,
  WireServer,
  WireServerTool,
} from '../../wire/servers.ts'
import type { WireSwitch } from '../../wire/switches.ts'
import type { UpstreamServer, UpstreamTool } from '../upstreams.ts'
import { given } from './row.ts'

export interface Found {
  readonly policy: Policy
  readonly servers: readonly UpstreamServer[]
  readonly tools: readonly UpstreamTool[]
  readonly switches: readonly WireSwitch[]
}

/** Every server a file declares or a client was led to, each with all its tools. */
export function serversOf(found: Found): WireServer[] {
  const { policy, servers, tools } = found
  const aliases = [
    ...policy.owner.servers.keys(),
    ...servers.map(({ alias }) => alias),
    ...tools.map(({ server }) => server),
  ]
  return [...new Set(aliases)].map((alias) => serverOf(alias, found))
}

function serverOf(alias: string, found: Found): WireServer {
  const { policy } = found
  const entry = policy.owner.servers.get(alias)
  const upstream = found.servers.find((one) => one.alias === alias)
  const seen = found.tools.filter(({ server }) => server === alias)
  const unseen = [...(entry?.allowed?.keys() ?? [])].filter(
    (name) => !seen.some(({ tool }) => tool === name),
  )
  return {
    alias,
    ...given({
      description: entry?.description,
      at: entry && placeOf(entry.place),
      reached: upstream?.reached,
      seen: upstream?.seen,
      switch: switchOf(found, { server: alias }),
    }),
    answer: entry ? wholeAnswer(policy, entry) : answerTo(policy, alias, 'any'),
    tools: [
      ...seen.map((tool) => toolOf(tool, found)),
      ...unseen.map((tool) => unseenTool(tool, alias, found)),
    ].sort((a, b) => (a.tool < b.tool ? -1 : 1)),
  }
}

function toolOf(upstream: UpstreamTool, found: Found): WireServerTool {
  const { server, tool, definition, changed, risk, usedAt } = upstream
  const said = definition ?? changed?.definition
  return {
    tool,
    ...given({ title: textIn(said, 'title'), description: textIn(said, 'description') }),
    risk: risk.risk,
    riskFrom: risk.from,
    ...given({ riskSign: risk.sign }),
    state: stateOf(upstream),
    ...given({ change: changeOf(upstream), usedAt, inputSchema: said?.inputSchema }),
    answer: answerTo(found.policy, server, tool),
    ...given({ switch: switchOf(found, { server, tool }) }),
  }
}

/** Named in a file, and never listed by its server. */
function unseenTool(tool: string, server: string, found: Found): WireServerTool {
  const risk = found.policy.owner.servers.get(server)?.allowed?.get(tool)?.risk
  return {
    tool,
    risk: risk ?? 'L0',
    riskFrom: risk === undefined ? 'nothing' : 'operator',
    state: 'unseen',
    answer: answerTo(found.policy, server, tool),
    ...given({ switch: switchOf(found, { server, tool }) }),
  }
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
function answerTo(policy: Policy, server: string, tool: string): WireAnswer {
  const { verdict, rules } = explain(policy, { server, tool, args: {} })
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
    at: placeOf(declaration.place),
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

function placeOf({ file, line }: Place): string {
  return `${file}:${line}`
}

function textIn(value: JsonObject | undefined, key: string): string | undefined {
  const found = value?.[key]
  return typeof found === 'string' ? found : undefined
}
