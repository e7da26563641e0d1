import { randomBytes } from 'node:crypto'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Store } from '../../store/store.ts'

const KIND = 'mcp task'
export const KEPT_MS = 90 * 86_400_000

/** What outlives the process that made a task. What became of it is told by the approval. */
export interface KeptTask {
  readonly approval: string
  readonly createdAt: number
  /** Digest of what its server was started or called with. */
  readonly settings: string
}

export interface TaskRecords {
  /** Gives the id of the new task, once it is written. */
  create(
    approval: string,
    settings: string,
  ): Promise<{ readonly id: string; readonly createdAt: number }>
  /** Undefined for ids of others, and for ids that are none. */
  get(id: string): Promise<KeptTask | undefined>
}

/** `owner` names the credential: to all others the task does not exist. */
export function createTaskRecords(
  { records, now }: Pick<Store, 'records' | 'now'>,
  owner: string,
): TaskRecords {
  // The id is a secret of its client, so it is not stored.
  const keyOf = (id: string) => digestOf(KIND, [owner, id])
  return {
    async create(approval, settings) {
      const id = randomBytes(24).toString('base64url')
      const createdAt = await now()
      const expiresAt = createdAt + KEPT_MS
      await records.put(KIND, await keyOf(id), { approval, createdAt, settings }, { expiresAt })
      return { id, createdAt }
    },
    async get(id) {
      const value = (await records.get(KIND, await keyOf(id)))?.value
      if (!isPlainObject(value)) return undefined
      const { approval, createdAt, settings } = value
      const isWhole =
        typeof approval === 'string' &&
        typeof createdAt === 'number' &&
        typeof settings === 'string'
      return isWhole ? { approval, createdAt, settings } : undefined
    },
  }
}
