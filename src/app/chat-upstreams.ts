import type { ToolSet } from 'ai'
import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Gate } from '../gate/gate.ts'
import { createLocalTools, type LocalTools } from '../gateway/local-tools.ts'
import type { ListedTool } from '../gateway/upstream/catalog.ts'
import { createUses } from '../gateway/upstream/last-used.ts'
import { declaredRisk } from '../policy/evaluate/declared.ts'
import type { Services } from '../server/services.ts'
import { isOffered, pinsFor, type Specs } from './mcp-routes.ts'
import { packageVersion } from './version.ts'

/** The MCP servers of the policy, as tools of the chat. */
export interface ChatUpstreams {
  /** Each tool behind this gate, under the name that clients of `/mcp` call it by. */
  open(owner: string, gate: Gate, run: string): Promise<OpenTools>
  close(): Promise<void>
}

export interface OpenTools {
  readonly tools: ToolSet
  /** Why tools of a server are missing. */
  readonly problems: readonly string[]
}

interface Held {
  readonly local: LocalTools
  /** Which servers, reached how. */
  readonly specs: string
  timer: ReturnType<typeof setTimeout>
}

/** A person who says nothing for so long has their servers stopped. */
const IDLE_MS = 5 * 60_000
const MOST_PEOPLE = 20

interface Parts {
  readonly services: Services
  readonly specs: Specs
  log(line: string): void
}

/** Connections of each person's own: what a server remembers of one is not told to another. */
export function createChatUpstreams({ services, specs, log }: Parts): ChatUpstreams {
  const { store, policy, policyNow } = services
  const pins = pinsFor(store, policyNow)
  const { used } = createUses(store.records)
  const held = new Map<string, Held>()

  function end(owner: string): Promise<void> {
    const one = held.get(owner)
    held.delete(owner)
    clearTimeout(one?.timer)
    return one?.local.close() ?? Promise.resolve()
  }

  async function toolsOf(owner: string): Promise<LocalTools> {
    const found = specs(await policyNow(), log)
    const known = held.get(owner)
    const named = JSON.stringify(found)
    if (known?.specs === named) {
      known.timer.refresh()
      held.delete(owner)
      held.set(owner, known)
      return known.local
    }
    if (known) await end(owner)
    const [oldest] = held.keys()
    if (held.size >= MOST_PEOPLE && oldest !== undefined) await end(oldest)
    const local = createLocalTools({
      specs: found,
      store,
      pins,
      agent: 'chat',
      version: packageVersion(),
      isOffered: (server, tool) => isOffered(policy(), server, tool),
      saidRisk: (server, tool) => declaredRisk(policy(), { server, tool, args: {} }),
      used,
      log,
    })
    const timer = setTimeout(() => void end(owner).catch(() => {}), IDLE_MS)
    timer.unref()
    held.set(owner, { local, specs: named, timer })
    return local
  }

  return {
    async open(owner, gate, run) {
      const local = await toolsOf(owner)
      const { tools, problems } = await local.list()
      const { guardTools } = await import('../adapters/ai-sdk/guard-tools.ts')
      const guarded: ToolSet = {}
      for (const [server, own] of Map.groupBy(tools, (tool) => tool.server)) {
        // Under their own names, which rules go by; the model knows them with the server's in front.
        const named = await asTools(own, local)
        for (const [name, tool] of Object.entries(guardTools(gate, named, { run, server }))) {
          guarded[`${server}_${name}`] = tool
        }
      }
      return { tools: guarded, problems }
    },
    async close() {
      await Promise.all([...held.keys()].map(end))
    },
  }
}

async function asTools(listed: readonly ListedTool[], local: LocalTools): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { gateContext } = await import('../adapters/ai-sdk/gate-context.ts')
  return Object.fromEntries(
    listed.map((tool) => {
      const { description, inputSchema } = tool.definition
      const made = dynamicTool({
        description: description ?? '',
        inputSchema: jsonSchema((inputSchema ?? { type: 'object' }) as object),
        async execute(args, options) {
          const context = gateContext(options)
          return resultOf(
            await local.call(tool, args as JsonObject, {
              signal: options.abortSignal,
              isApproved: context?.approval !== undefined,
              countersign: context?.countersign,
            }),
          )
        },
      })
      return [tool.tool, made]
    }),
  )
}

/** What the model reads; an error of the tool is one here as well. */
function resultOf(result: JsonObject): unknown {
  const { content, structuredContent, isError } = result
  const texts = Array.isArray(content)
    ? content.flatMap((part) => {
        const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
        return [type === 'text' && typeof text === 'string' ? text : `[${String(type)}]`]
      })
    : []
  const said = texts.join('\n')
  if (isError === true) throw new CountersignError('internal', said || 'the tool failed')
  return structuredContent ?? said
}
