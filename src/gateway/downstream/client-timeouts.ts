import type { Approval } from '../../approval/approval.ts'
import type { Json } from '../../base/json/json.ts'
import type { Records } from '../../store/records.ts'
import { textIn } from '../protocol/message.ts'
import type { Client } from '../upstream/client.ts'
import type { Rung } from './tool-call.ts'

// In the newer era a client waits between requests, as long as the question lives.
const AS_LONG_AS_IT_TAKES = 2_000_000_000
const SHORTEST_HOLD = 1_000
const KIND = 'mcp wait'
const KEPT_MS = 90 * 86_400_000

/** How long this client can be kept waiting, learnt from when it gave up. */
export function createPatience(records: Records, usual: number) {
  let most = usual
  return {
    hold: ({ era }: Client): number => (era === 'modern' ? AS_LONG_AS_IT_TAKES : most),
    gaveUp(_client: Client, after: number): void {
      most = Math.max(SHORTEST_HOLD, Math.min(most, after * 0.8))
    },
    waits({ id, askedAt }: Approval, rung: Rung, { era, info }: Client): void {
      const client = textIn(info, 'name')?.slice(0, 100).toWellFormed() ?? ''
      const value: Json = { rung, era, client, hold: rung === 'hold' ? most : 0 }
      // For people who look later; nothing depends on it.
      void records.put(KIND, id, value, { expiresAt: askedAt + KEPT_MS }).catch(() => {})
    },
  }
}
