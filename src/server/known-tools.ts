import { notedTools, type SeenTool } from '../gate/tools/tool-notes.ts'
import type { ToolCount } from '../store/engine/counts.ts'
import type { Store } from '../store/store.ts'
import { sparingly } from './http/adaptive-cache.ts'

/** What is on record about tools, whichever caller reached them and however. */
export interface KnownTools {
  readonly registered: readonly SeenTool[]
  readonly counts: readonly ToolCount[]
  readonly since: number
}

const COUNTED_MS = 30 * 86_400_000

export function createKnownTools(store: Store): () => Promise<KnownTools> {
  return sparingly(async () => {
    const since = (await store.now()) - COUNTED_MS
    const [registered, counts] = await Promise.all([notedTools(store), store.counts(since)])
    return { registered, counts, since }
  })
}
