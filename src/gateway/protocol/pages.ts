import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { NoAnswer } from './message.ts'

const MOST_PAGES = 100
const MOST_ITEMS = 10_000
const LIST_MS = 30_000

/** Everything a server lists, page after page, within bounds. */
export async function listAll(
  upstream: Upstream,
  method: string,
  key: string,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && items.length < MOST_ITEMS; page++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor }
    const ask = () => upstream.request(method, params, { timeout: LIST_MS })
    // A connection that lay idle may have been cut; asking for a list twice does no harm.
    const result = await ask().catch((error: unknown) => {
      if (error instanceof NoAnswer) return ask()
      throw error
    })
    const found = Array.isArray(result[key]) ? result[key] : []
    items.push(...found.filter((item): item is JsonObject => isPlainObject(item)))
    if (typeof result.nextCursor !== 'string') break
    cursor = result.nextCursor
  }
  return items.slice(0, MOST_ITEMS)
}
