import { higherRisk, type Risk } from '../../base/call.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { NoAnswer, RPC, RpcError, textIn } from '../protocol/message.ts'
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

interface Items {
  readonly items: readonly JsonObject[]
  /** Whether the server gave all its lists. What is in one that failed is not known. */
  readonly isWhole: boolean
}

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
    items.then(
      ({ isWhole }) => isWhole || kept.delete(key),
      () => kept.delete(key),
    )
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
        return saidOf({ items: [], isWhole: false }, read)
      }
    },
    again: async (upstream, read) => saidOf(await itemsOf(upstream, read.kind), read),
    forget: () => kept.clear(),
  }
}

async function itemsOf(upstream: Upstream, kind: Readable['kind']): Promise<Items> {
  if (!(kind in upstream.capabilities)) return { items: [], isWhole: true }
  const list = async (method: string, key: string): Promise<Items> => {
    try {
      return { items: await listAll(upstream, method, key), isWhole: true }
    } catch (error) {
      // A server need not have every list; one that fails, or does not answer, may declare anything.
      if (!(error instanceof RpcError)) throw error
      return { items: [], isWhole: error.code === RPC.methodNotFound }
    }
  }
  if (kind === 'prompts') return list('prompts/list', 'prompts')
  const [resources, templates] = await Promise.all([
    list('resources/list', 'resources'),
    list('resources/templates/list', 'resourceTemplates'),
  ])
  return {
    items: [...resources.items, ...templates.items],
    isWhole: resources.isWhole && templates.isWhole,
  }
}

/** All that fit count: which of several templates a server uses is not known here. */
function saidOf({ items, isWhole }: Items, { kind, name }: Readable): SaidOfRead {
  const found = items.filter((item) =>
    kind === 'prompts'
      ? item.name === name
      : item.uri === name || fits(textIn(item, 'uriTemplate'), name),
  )
  const isListed = kind === 'prompts' || found.some((item) => item.uri === name)
  const meant = isListed ? found : [...found, ...perhaps(items, name, found.length > 0)]
  const risk = meant.map(riskOf).reduce<Risk | undefined>(higherRisk, undefined)
  const exact = found.find((item) => item.uri === name || kind === 'prompts') ?? found[0]
  const { title, description } = exact ?? {}
  return {
    risk: isWhole ? risk : higherRisk(risk, UNKNOWN),
    // Not sizes and dates, which change without making it another resource.
    definition: definitionOf({
      ...(title === undefined ? {} : { title }),
      ...(typeof description === 'string' ? { description } : {}),
      ...(risk === undefined ? {} : { annotations: { risk } }),
      inputSchema: kind === 'prompts' ? promptSchema(name) : RESOURCE_SCHEMA,
    }),
  }
}

/**
 * What has effects and may be meant by an address that is not listed so: many servers read
 * `DB://users` as `db://users`. One that fits nothing may be any of them.
 */
function perhaps(items: Items['items'], name: string, isFound: boolean): Items['items'] {
  const risky = items.filter((item) => riskOf(item) !== undefined)
  if (!isFound || risky.length === 0) return risky
  const plain = plainly(name)
  return risky.filter((item) => {
    const [uri, template] = [textIn(item, 'uri'), textIn(item, 'uriTemplate')]
    if (template !== undefined) return plain.startsWith(plainly(startOf(template)))
    return uri !== undefined && plainly(uri) === plain
  })
}

/** The same for all spellings that a server may take for one address, and perhaps for more. */
function plainly(uri: string): string {
  let text = URL.parse(uri)?.href ?? uri
  text = text.replace(/[?#].*$/s, '')
  for (let times = 0; times < 3; times++) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  const plain = text.normalize('NFKC').toLowerCase()
  let end = plain.length
  while (plain[end - 1] === '/') end--
  return plain.slice(0, end)
}

function riskOf({ annotations, _meta }: JsonObject): Risk | undefined {
  return higherRisk(riskIn(annotations), riskIn(_meta))
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
