import * as v from 'valibot'
import { Assurance } from '../common.ts'
import { WireLockTarget } from '../locks.ts'
import { about, type Infer, object, optional } from '../schema.ts'

/** Why the reader may not decide, without words: each surface says it in its own language. */
export const NotMine = object({
  code: v.picklist(['decided', 'locked', 'answered', 'own_call', 'not_asked', 'assurance']),
  status: optional(about(v.string(), 'With `decided`: how it stands.')),
  target: optional(about(WireLockTarget, 'With `locked`: what is.')),
  reason: optional(about(v.string(), 'With `locked`: as the person who locked it wrote it.')),
  assurance: optional(about(Assurance, 'With `assurance`: what a yes needs.')),
})
export type NotMine = Infer<typeof NotMine>
