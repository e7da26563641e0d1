import type { Approval } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import type { Json } from '../../base/json/json.ts'
import type { GateContext } from '../context.ts'
import { latest } from './stored-content.ts'

/** What the last approver attached to the yes that counts. */
export function payloadIn(
  { decisions, digest }: Approval,
  content: readonly Content[],
): Json | undefined {
  const keys = payloadKeys({ decisions, digest })
  return latest(
    content.filter(({ key }) => keys.includes(key)),
    'payload',
  )
}

/** The same, read from the store; nothing is read where no approver attached anything. */
export async function payloadOf(
  { store }: Pick<GateContext, 'store'>,
  approval: Approval,
): Promise<{ readonly payload?: Json }> {
  if (payloadKeys(approval).length === 0) return {}
  const payload = payloadIn(approval, await store.content(approval.id, ['payload']))
  return payload === undefined ? {} : { payload }
}

function payloadKeys({ decisions, digest }: Pick<Approval, 'decisions' | 'digest'>): string[] {
  return decisions
    .filter((one) => one.verdict === 'approve' && one.digest === digest && !one.void)
    .flatMap((one) => one.content ?? [])
}
