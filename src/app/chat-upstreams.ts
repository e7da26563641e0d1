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
  readonly timer: ReturnType<typeof setTimeout>
  /** Calls that have not ended. */
  running: number
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

  /** Room for one more person. Whose call runs is not sent away. */
  function makeRoom(): void {
    if (held.size < MOST_PEOPLE) return
    const [idle] = [...held].find(([, { running }]) => running === 0) ?? []
    if (idle === undefined) {
      throw new CountersignError('too_many_requests', 'too many people use tools in the chat')
    }
    void end(idle).catch(() => {})
  }

  function idle(owner: string): void {
    const one = held.get(owner)
    if (one && one.running > 0) one.timer.refresh()
    else void end(owner).catch(() => {})
  }

  /** Nothing waits between looking and keeping, so two requests never open two of one person. */
  async function heldBy(owner: string): Promise<Held> {
    const found = specs(await policyNow(), log)
    const known = held.get(owner)
    const named = JSON.stringify(found)
    if (known?.specs === named) {
      known.timer.refresh()
      held.delete(owner)
      held.set(owner, known)
      return known
    }
    if (known) void end(owner).catch(() => {})
    makeRoom()
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
    const timer = setTimeout(() => idle(owner), IDLE_MS)
    timer.unref()
    const made: Held = { local, specs: named, timer, running: 0 }
    held.set(owner, made)
    return made
  }

  /** Connected anew where they ended meanwhile: others may take longer to answer than that. */
  async function callFor(owner: string, ...call: Parameters<LocalTools['call']>) {
    const one = await heldBy(owner)
    one.running++
    try {
      return await one.local.call(...call)
    } finally {
      one.running--
      one.timer.refresh()
    }
  }

  return {
    async open(owner, gate, run) {
      const { local } = await heldBy(owner)
      const { tools, problems } = await local.list()
      const { guardTools } = await import('../adapters/ai-sdk/guard-tools.ts')
      const guarded: ToolSet = {}
      for (const [server, own] of Map.groupBy(tools, (tool) => tool.server)) {
        // Under their own names, which rules go by; the model knows them with the server's in front.
        const named = await asTools(own, (...call) => callFor(owner, ...call))
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

async function asTools(listed: readonly ListedTool[], call: LocalTools['call']): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { gateContext } = await import('../adapters/ai-sdk/gate-context.ts')
  const { defineTool } = await import('../adapters/ai-sdk/tool-words.ts')
  return Object.fromEntries(
    listed.map((tool) => {
      const { description, inputSchema } = tool.definition
      const made = dynamicTool({
        description: description ?? '',
        inputSchema: jsonSchema((inputSchema ?? { type: 'object' }) as object),
        async execute(args, options) {
          const context = gateContext(options)
          return resultOf(
            await call(tool, args as JsonObject, {
              signal: options.abortSignal,
              isApproved: context?.approval !== undefined,
              countersign: context?.countersign,
            }),
          )
        },
      })
      // A yes is bound to all of it, as at `/mcp`: a version of a tool may differ in nothing else.
      defineTool(made, tool.definition)
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
