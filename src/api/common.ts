import * as v from 'valibot'
import { about, type Infer, object, optional } from './schema.ts'

export const Status = v.picklist([
  'pending',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
])
export type Status = Infer<typeof Status>

export const ExecutionState = v.picklist(['running', 'succeeded', 'failed', 'unknown'])
export type ExecutionState = Infer<typeof ExecutionState>

export const RiskLevel = v.picklist(['L0', 'L1', 'L2', 'L3', 'L4', 'L5'])
export type RiskLevel = Infer<typeof RiskLevel>

export const Assurance = v.picklist(['elicitation', 'chat', 'signed-in', 'passkey'])
export type Assurance = Infer<typeof Assurance>

/** Beside `rule`, the path in the policy that says where to look. */
export const RuleName = about(
  v.string(),
  'The rule as people know it: `pay`, `calendar/create_event`; the path itself where it has no such name.',
)

export const WirePerson = object({
  issuer: v.string(),
  subject: v.string(),
  name: optional(v.string()),
  email: optional(v.string()),
})
export type WirePerson = Infer<typeof WirePerson>
