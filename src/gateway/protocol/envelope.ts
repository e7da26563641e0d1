import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { objectIn, type Request, RPC, RpcError, textIn } from './message.ts'

/** Newest first: what is offered, and what a client may ask for. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const
export const MODERN_VERSION = '2026-07-28'

/** All there is to ask for in the newer era. */
const MODERN_METHODS: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'subscriptions/listen',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

/** Requests about a task, which name it by its id. */
export const TASK_METHODS: ReadonlySet<string> = new Set([
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

const PREFIX = 'io.modelcontextprotocol/'
/** The extension under which a server answers a call with the handle of a task. */
export const TASKS_EXTENSION = `${PREFIX}tasks`
/** The extension under which a client shows pages of a server beside what tools gave: MCP Apps. */
export const APPS_EXTENSION = `${PREFIX}ui`
/** The one kind of page that there is. */
export const APP_TYPE = 'text/html;profile=mcp-app'
export const VERSION_KEY = `${PREFIX}protocolVersion`
export const CLIENT_KEY = `${PREFIX}clientInfo`
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`
export const SERVER_KEY = `${PREFIX}serverInfo`
export const SUBSCRIPTION_KEY = `${PREFIX}subscriptionId`

/** The version a request names for itself, which only requests of the newer era do. */
export function modernVersion(params: JsonObject | undefined): string | undefined {
  return textIn(objectIn(params, '_meta'), VERSION_KEY)
}

/** Throws where a request of the newer era is not one, whatever it asks for. */
export function assertModern({ method, params }: Request): void {
  if (!MODERN_METHODS.has(method)) {
    throw new RpcError(RPC.methodNotFound, `${method} is not served here`)
  }
  if (!objectIn(objectIn(params, '_meta'), CAPABILITIES_KEY)) {
    throw new RpcError(RPC.invalidParams, `_meta has no ${CAPABILITIES_KEY}`)
  }
}

export function clientOf(meta: JsonObject | undefined): JsonObject {
  return objectIn(meta, CLIENT_KEY) ?? {}
}

export function capabilitiesOf(meta: JsonObject | undefined): JsonObject {
  return objectIn(meta, CAPABILITIES_KEY) ?? {}
}

/** What is said about a request, without what belongs to one hop alone. */
export function passedOn(meta: JsonObject | undefined): JsonObject | undefined {
  if (!isPlainObject(meta)) return undefined
  const kept = Object.entries(meta).filter(
    ([key]) =>
      key !== 'progressToken' && !key.startsWith(PREFIX) && !key.startsWith('countersign/'),
  )
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
