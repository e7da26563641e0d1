import { higherRisk } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { HostedTools } from '../gateway/upstream/hosted-server.ts'
import type { UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import type { AllowedEntry, Declaration, ServerEntry } from '../policy/document.ts'
import { plainAsk } from '../policy/evaluate/declared.ts'
import { combinePolicy } from '../policy/load/combine.ts'
import type { Policy } from '../policy/policy.ts'
import type { HostedRules } from '../server/policy/active-policy.ts'
import type { ToolRun } from '../studio/sandbox/run-tool.ts'
import type { LiveTool, Studio } from '../studio/studio.ts'
import { declarationOf } from '../studio/tools/tool-spec.ts'

/** The alias under which clients, rules and people know the tools of the studio. */
export const STUDIO = 'studio'

type Live = ReadonlyMap<string, LiveTool>

/** The flags of published tools, as rules of a server that stands in no file. */
export function studioRules(studio: Studio): HostedRules {
  const made = new WeakMap<Policy, { readonly live: Live; readonly policy: Policy }>()
  return {
    over(policy) {
      const live = studio.live()
      if (live.size === 0 || isTaken(policy)) return policy
      const known = made.get(policy)
      if (known?.live === live) return known.policy
      const combined = withStudio(policy, live)
      made.set(policy, { live, policy: combined })
      return combined
    },
    current: studio.current,
  }
}

/** A file that says how `studio` is reached means a server of its own. */
function isTaken({ owner }: Policy): boolean {
  const { command, url } = owner.servers.get(STUDIO)?.connection ?? {}
  return command !== undefined || url !== undefined
}

export function studioSpecs(policy: Policy, tools: HostedTools): readonly UpstreamSpec[] {
  return isTaken(policy) ? [] : [{ kind: 'hosted', alias: STUDIO, tools, secrets: [] }]
}

function withStudio(policy: Policy, live: Live): Policy {
  const { owner } = policy
  const servers = new Map(owner.servers).set(STUDIO, entryOf(owner.servers.get(STUDIO), live))
  return combinePolicy({ ...policy, owner: { ...owner, servers }, governance: policy.outside })
}

/** Only what is published is there. What a file says of `studio` adds to the flags of the tools. */
function entryOf(file: ServerEntry | undefined, live: Live): ServerEntry {
  const tools = [...live.values()].filter(({ name }) => file?.allowed?.has(name) !== false)
  return {
    ...(file ?? { alias: STUDIO, rule: STUDIO, connection: {}, place: NOWHERE }),
    unlessSwitched: { asks: 'never', rule: `${STUDIO}.humanInTheLoop`, place: NOWHERE },
    allowed: new Map(tools.map((tool) => [tool.name, allowedEntry(file, tool)])),
  }
}

const NOWHERE = { file: STUDIO, line: 0, column: 0 }

function allowedEntry(file: ServerEntry | undefined, { name, risk, hitl }: LiveTool): AllowedEntry {
  const own = file?.allowed?.get(name)
  const rated = higherRisk(risk, own?.risk ?? file?.risk) ?? risk
  const asking = stricter(own?.approval ?? file?.approval, flagOf(name, hitl))
  return { name, place: NOWHERE, risk: rated, ...asking }
}

/** A question that cannot be read is asked in the usual words: one tool must not stop the others. */
function flagOf(name: string, hitl: LiveTool['hitl']): Declaration {
  const loaded = declarationOf(name, hitl)
  const flag = loaded.ok ? loaded.entry.approval : undefined
  return { ...(flag ?? plainAsk(`${STUDIO}.${name}.humanInTheLoop`)), place: NOWHERE }
}

/**
 * A file can ask more than the author of a tool, and never less. So can a switch, where neither asks:
 * then nothing is declared here.
 */
function stricter(
  said: Declaration | undefined,
  flag: Declaration,
): Pick<AllowedEntry, 'approval' | 'beside'> {
  if (flag.asks === 'never') return said === undefined ? {} : { approval: said }
  if (said === undefined) return { approval: flag }
  if (said.asks === 'never') return { approval: flag }
  // Where its condition does not hold, the flag still asks.
  return said.condition.form === 'always' ? { approval: said } : { approval: said, beside: [flag] }
}

/** The same tools as a server of the gateway. */
export function studioTools(studio: Studio): HostedTools {
  return {
    async list() {
      await studio.current()
      return [...studio.live().values()].map(listed)
    },
    call: async (name, args, signal) => resultOf(await studio.call(name, args, signal)),
    onChange: studio.onChange,
  }
}

/** The version and its digest are part of the definition: another version is another tool. */
function listed({ name, description, inputSchema, version, digest, ...tool }: LiveTool) {
  return {
    name,
    description,
    inputSchema,
    annotations: { destructiveHint: tool.isDestructive, openWorldHint: tool.isOpenWorld },
    _meta: { 'countersign/studio': { version, digest } },
  }
}

function resultOf({ result = null, error }: ToolRun): JsonObject {
  if (error) return { content: [{ type: 'text', text: error.message }], isError: true }
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  const content = [{ type: 'text', text }]
  return isObject ? { content, structuredContent: result } : { content }
}
