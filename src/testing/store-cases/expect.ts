import assert from 'node:assert/strict'
import type { Approval } from '../../approval/approval.ts'
import { type ErrorCode, isCountersignError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import { type Asking, approverNamed, asking, deciding } from '../commands.ts'

/** The refusal must come, with this code and no other. */
export async function refusedWith(code: ErrorCode, attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(isCountersignError(error), `expected ${code}, got ${String(error)}`)
  assert.equal(error.code, code)
}

/** How many attempts were accepted, and the codes of the others. */
export async function tally(
  attempts: readonly Promise<unknown>[],
): Promise<{ accepted: number; refused: string[] }> {
  const results = await Promise.allSettled(attempts)
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  return {
    accepted: results.length - reasons.length,
    refused: reasons.map((reason) => (isCountersignError(reason) ? reason.code : String(reason))),
  }
}

export async function asked(store: Store, what: Asking = {}): Promise<Approval> {
  const request = asking({ tenant: store.tenant, ...what })
  return (await store.apply(request.id, request)).approval
}

export async function approved(store: Store, what: Asking = {}): Promise<Approval> {
  const approval = await asked(store, what)
  return (await store.apply(approval.id, deciding(approval, approverNamed('ana')))).approval
}

/** The approval as it is now; it must be there. */
export async function current(store: Store, { id }: Pick<Approval, 'id'>): Promise<Approval> {
  const approval = await store.get(id)
  assert.ok(approval, `approval ${id} is gone`)
  return approval
}
