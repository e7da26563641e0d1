import * as v from 'valibot'

import { about, type Infer, object, optional, whole } from './schema.ts'

export const WireChannel = object({
  name: v.string(),
  seenAt: whole(),
  waiting: whole(),
  stuck: whole(),
  problem: optional(about(v.string(), 'Why nothing is sent there any more.')),
})
export type WireChannel = Infer<typeof WireChannel>

export const WireNotice = object({
  id: v.string(),
  channel: v.string(),
  approval: v.string(),
  kind: v.string(),
  at: whole(),
  attempts: whole(),
  state: v.picklist(['waiting', 'stuck']),
  problem: optional(v.string()),
})
export type WireNotice = Infer<typeof WireNotice>

/** `GET /v1/notices`: what people are still to be told. */
export const NoticePage = object({
  waiting: whole(),
  stuck: whole(),
  channels: v.array(WireChannel),
  notices: about(v.array(WireNotice), 'The oldest first, at most a hundred.'),
})
export type NoticePage = Infer<typeof NoticePage>

/** `POST /v1/notices/retry`. */
export const Retried = object({ retried: whole() })
