import { isOpen } from '../../approval/clock.ts'
import type { GrantUse, Holder, Request } from '../../approval/command.ts'
import { START_WITHIN } from '../../approval/commands/execution.ts'
import { type Grant, inScope } from '../../approval/grants/grant.ts'
import type { Person } from '../../approval/people/person.ts'
import { type ErrorCode, isCountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { isSafeNumber } from '../../base/json/canonical.ts'
import { isAmount } from '../../base/json/decimal.ts'
import type { Json } from '../../base/json/json.ts'
import { judgeCondition } from '../../policy/evaluate/condition.ts'
import { readPath } from '../../policy/evaluate/path.ts'
import { readCondition } from '../../policy/load/read-condition.ts'
import type { Applied } from '../../store/store.ts'
import { withAbsent } from '../admin/stand-ins.ts'
import { viewNow } from '../content/arguments.ts'
import type { GateContext } from '../context.ts'
import { personNow } from '../people.ts'
import { newJti } from '../proof/countersignature.ts'
import { countersignOnce } from '../proof/countersigned.ts'
import type { Claimed } from './claim.ts'
import type { Judged } from './judge.ts'

export interface GrantedCall extends Applied {
  /** Present when the use was claimed at once: it is ours to run. */
  readonly claimed?: Claimed
}

export interface Using {
  /** Those that could cover it, as the store found them. */
  readonly grants: readonly Grant[]
  /** Whether the call runs here and now, and so is claimed at once. */
  readonly claims: boolean
  /** Of the tool's arguments. */
  readonly schema: Json | undefined
}

/** What a grant says no to is asked about; everything else is an error like any other. */
const NOT_BY_GRANT: readonly ErrorCode[] = ['grant_ended', 'grant_not_enough', 'grant_not_found']

/**
 * Lets the call through by a grant that covers it, if there is one: use, budget, yes and claim are
 * one transaction. The store looks at everything again, so whatever changed since only means that
 * the next grant is tried, and in the end people are.
 */
export async function throughGrant(
  core: GateContext,
  judged: Judged,
  request: Request,
  using: Using,
): Promise<GrantedCall | undefined> {
  if (!request.terms.grants || request.call.risk === 'L5') return undefined
  for (const grant of using.grants) {
    const use = await useOf(core, judged, request, grant)
    if (!use) continue
    try {
      return await take(core, judged, { ...request, id: newId(), grant: use }, using)
    } catch (error) {
      if (!isCountersignError(error) || !NOT_BY_GRANT.includes(error.code)) throw error
    }
  }
  return undefined
}

async function useOf(
  core: GateContext,
  { call }: Judged,
  request: Request,
  grant: Grant,
): Promise<GrantUse | undefined> {
  const { id, limits, by } = grant
  if (!inScope(grant, request.call, core.tenant)) return undefined
  if (limits.digest !== undefined && limits.digest !== request.digest) return undefined
  if (limits.condition !== undefined && !meetsCondition(limits.condition, call)) return undefined
  const amount = limits.budget && readPath(call.args, limits.budget.keys)
  if (limits.budget && !(isAmount(amount) && isSafeNumber(amount))) return undefined
  return {
    id,
    minter: await minterNow(core, by),
    covered: true,
    ...(typeof amount === 'number' ? { amount } : {}),
  }
}

/** A maker who acted as a stand-in must still stand in for the same person. */
async function minterNow(core: GateContext, by: Person): Promise<Person> {
  const now = await personNow(core, by)
  return by.for ? withAbsent(core, now) : now
}

/** `unknown` is not a yes: an argument that cannot be tested is not covered. */
export function meetsCondition(condition: unknown, call: Judged['call']): boolean {
  try {
    const read = readCondition(condition, { delegation: call.kind === 'agent' })
    return judgeCondition(read, call).answer === 'yes'
  } catch {
    return false
  }
}

async function take(
  core: GateContext,
  { call, bytes, policy }: Judged,
  request: Request,
  { claims, schema }: Using,
): Promise<GrantedCall> {
  const jti = newJti()
  const holder: Holder = { claim: crypto.randomUUID(), instance: core.store.instance }
  const use = {
    ...request.grant,
    ...(claims ? { holder } : {}),
    ...(claims && core.countersign.signer ? { countersignature: jti } : {}),
  } as GrantUse
  // The store counts from when it wrote the claim, which is later than this: so this is safe.
  const sent = performance.now()
  const commandId = crypto.randomUUID()
  const applied = await core.store.apply(request.id, { ...request, commandId, grant: use })
  const { approval, joined } = applied
  if (joined || isOpen(approval)) return applied
  const { text } = bytes
  return {
    ...applied,
    claimed: {
      approval,
      claim: holder.claim,
      policy,
      text,
      payload: undefined,
      shown: viewNow({ policy, call, schema, view: request.content.view }),
      countersign: countersignOnce(core, { approval, text, jti }),
      mayStart: (at) => at === 'any time' || performance.now() - sent < START_WITHIN,
    },
  }
}
