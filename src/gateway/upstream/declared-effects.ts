import { higherRisk, type Risk } from '../../base/call.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { NoAnswer, textIn } from '../protocol/message.ts'
import { definitionOf } from './catalog.ts'
import type { Connections } from './connections.ts'
import { startOf } from './prompts-and-resources.ts'
import { listAll, type Upstream } from './upstream.ts'

/** What is read: an address, or a prompt by the name its server gives it. */
export interface Readable {
  readonly server: string
  readonly kind: 'resources' | 'prompts'
  readonly name: string
}

/** What a server says of something that clients read. */
export interface SaidOfRead {
  /** Above L0: reading it has effects. Undefined where the server declares none. */
  readonly risk: Risk | undefined
  readonly definition: ToolDefinition
}

export interface DeclaredEffects {
  /** From the last listing, until the server says that it changed. Throws where there is no server. */
  of(read: Readable): Promise<SaidOfRead>
  /** Listed anew. Throws where the server does not answer. */
  again(upstream: Upstream, read: Readable): Promise<SaidOfRead>
  forget(): void
}

type Items = readonly JsonObject[]

/** What a server that cannot be asked may have declared. */
const UNKNOWN: Risk = 'L2'

export function createDeclaredEffects(connections: Connections): DeclaredEffects {
  const kept = new Map<string, Promise<Items>>()

  function listed(upstream: Upstream, kind: Readable['kind']): Promise<Items> {
    const key = JSON.stringify([upstream.spec.alias, kind])
    const known = kept.get(key)
    if (known !== undefined) return known
    const items = itemsOf(upstream, kind)
    kept.set(key, items)
    items.catch(() => kept.delete(key))
    return items
  }

  return {
    async of(read) {
      const { server, kind } = read
      const upstream = await connections.get(server)
      if (!upstream) {
        const why = connections.problem(server) ?? `server ${server} cannot be reached`
        throw new NoAnswer(why, false)
      }
      try {
        return saidOf(await listed(upstream, kind), read)
      } catch {
        return { ...saidOf([], read), risk: UNKNOWN }
      }
    },
    again: async (upstream, read) => saidOf(await itemsOf(upstream, read.kind), read),
    forget: () => kept.clear(),
  }
}

async function itemsOf(upstream: Upstream, kind: Readable['kind']): Promise<Items> {
  if (!(kind in upstream.capabilities)) return []
  const list = (method: string, key: string) =>
    listAll(upstream, method, key).catch((error: unknown) => {
      // A server need not have every list; one that does not answer may declare anything.
      if (error instanceof NoAnswer) throw error
      return []
    })
  if (kind === 'prompts') return list('prompts/list', 'prompts')
  const [resources, templates] = await Promise.all([
    list('resources/list', 'resources'),
    list('resources/templates/list', 'resourceTemplates'),
  ])
  return [...resources, ...templates]
}

/** All that fit count: which of several templates a server uses is not known here. */
function saidOf(items: Items, { kind, name }: Readable): SaidOfRead {
  const found = items.filter((item) =>
    kind === 'prompts'
      ? item.name === name
      : item.uri === name || fits(textIn(item, 'uriTemplate'), name),
  )
  const risks = found.flatMap((item) => [riskIn(item.annotations), riskIn(item._meta)])
  const risk = risks.reduce<Risk | undefined>(higherRisk, undefined)
  const exact = found.find((item) => item.uri === name || kind === 'prompts') ?? found[0]
  const { title, description } = exact ?? {}
  return {
    risk,
    // Not sizes and dates, which change without making it another resource.
    definition: definitionOf({
      ...(title === undefined ? {} : { title }),
      ...(typeof description === 'string' ? { description } : {}),
      ...(risk === undefined ? {} : { annotations: { risk } }),
      inputSchema: kind === 'prompts' ? promptSchema(name) : RESOURCE_SCHEMA,
    }),
  }
}

function fits(template: string | undefined, uri: string): boolean {
  return template !== undefined && uri.startsWith(startOf(template))
}

/**
 * The hints that MCP defines for tools, where a server puts them on a resource or a prompt. Only a
 * plain "nothing happens" is none: any other value is a declaration.
 */
function riskIn(hints: unknown): Risk | undefined {
  if (!isPlainObject(hints)) return undefined
  const { readOnlyHint = true, destructiveHint = false } = hints
  if (destructiveHint !== false) return 'L4'
  return readOnlyHint === true ? undefined : 'L2'
}

const RESOURCE_SCHEMA: JsonObject = {
  type: 'object',
  properties: { uri: { type: 'string' } },
  required: ['uri'],
  additionalProperties: false,
}

function promptSchema(name: string): JsonObject {
  return {
    type: 'object',
    properties: { name: { const: name }, arguments: { type: 'object' } },
    required: ['name'],
    additionalProperties: false,
  }
}
