import type { JsonObject } from '../../base/json/json.ts'
import { inTime, LATE, PATIENCE_MS } from '../protocol/in-time.ts'
import { textIn } from '../protocol/message.ts'
import type { Connections } from './connections.ts'
import { listAll, type Upstream } from './upstream.ts'

/** Prompts and resources of all servers, as they are listed. */
export interface Shelf {
  prompts(): Promise<readonly JsonObject[]>
  resources(): Promise<readonly JsonObject[]>
  templates(): Promise<readonly JsonObject[]>
  findPrompt(name: string): Promise<{ readonly server: string; readonly name: string } | undefined>
  /** All that serve this address: they list it, or a template of theirs fits. */
  serversOf(uri: string): Promise<readonly string[]>
  forget(): void
}

interface Item {
  readonly server: string
  readonly item: JsonObject
}

export function createShelf(
  connections: Connections,
  nameOf: (server: string, name: string) => string,
): Shelf {
  const kept = new Map<string, Promise<readonly Item[]>>()

  function all(method: string, key: string, capability: string): Promise<readonly Item[]> {
    const known = kept.get(method)
    if (known !== undefined) return known
    const found = connections
      .ready()
      .then((live) =>
        Promise.all(
          live.map(async (upstream) => {
            const items = listed(upstream, method, key, capability)
            if (live.length === 1) return items
            const soon = await inTime(items, PATIENCE_MS)
            if (soon !== LATE) return soon
            void items.then(() => kept.delete(method))
            return []
          }),
        ),
      )
      .then((lists) => lists.flat())
    kept.set(method, found)
    return found
  }

  const prompts = () => all('prompts/list', 'prompts', 'prompts')
  const resources = () => all('resources/list', 'resources', 'resources')
  const templates = () => all('resources/templates/list', 'resourceTemplates', 'resources')

  return {
    async prompts() {
      kept.delete('prompts/list')
      return (await prompts()).map(({ server, item }) => ({
        ...item,
        name: nameOf(server, textIn(item, 'name') ?? ''),
      }))
    },
    async resources() {
      kept.delete('resources/list')
      return (await resources()).map(({ item }) => item)
    },
    async templates() {
      kept.delete('resources/templates/list')
      return (await templates()).map(({ item }) => item)
    },
    async findPrompt(name) {
      const found = (await prompts()).filter(
        ({ server, item }) => nameOf(server, textIn(item, 'name') ?? '') === name,
      )
      const [only] = found
      return only && found.length === 1
        ? { server: only.server, name: textIn(only.item, 'name') ?? '' }
        : undefined
    },
    async serversOf(uri) {
      const serving = connections.live().filter(({ capabilities }) => 'resources' in capabilities)
      if (serving.length === 1) return serving.map(({ spec }) => spec.alias)
      const listing = (await resources()).filter(({ item }) => item.uri === uri)
      // The longest fit is no proof of whose it is: any server can list a longer one.
      const fitting = (await templates()).filter(({ item }) => {
        const start = startOf(textIn(item, 'uriTemplate') ?? '')
        return start !== '' && uri.startsWith(start)
      })
      return [...new Set([...listing, ...fitting].map(({ server }) => server))]
    },
    forget: () => kept.clear(),
  }
}

async function listed(
  upstream: Upstream,
  method: string,
  key: string,
  capability: string,
): Promise<Item[]> {
  if (!(capability in upstream.capabilities)) return []
  const server = upstream.spec.alias
  const items = await listAll(upstream, method, key).catch(() => [])
  return items.map((item) => ({ server, item }))
}

/** The fixed part of a template, before its first variable. */
export function startOf(template: string): string {
  return template.split('{')[0] ?? ''
}
