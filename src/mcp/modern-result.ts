import type { JsonObject } from '../base/json.ts'

const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
])

/** A result as the newer era writes it. Lists belong to one client and are not to be kept. */
export function modernResult(method: string, result: JsonObject): JsonObject {
  return {
    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
    ...result,
    resultType: 'complete',
  }
}
