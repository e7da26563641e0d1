import type { JsonObject } from '../../base/json/json.ts'

const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
])

/**
 * A result as the newer era writes it. Lists and resources belong to one client and are not to be
 * kept, whatever the server they come from says: it does not know whom we serve.
 */
export function modernResult(method: string, result: JsonObject): JsonObject {
  return {
    ...result,
    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
    resultType: 'complete',
  }
}
