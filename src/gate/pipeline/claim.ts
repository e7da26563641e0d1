import type { Approval, AskedCall } from '../../approval/approval.ts'
import type { Claim, Holder } from '../../approval/command.ts'
import { START_WITHIN } from '../../approval/commands/execution.ts'
import type { Content } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Masked } from '../../base/secrets/mask.ts'
import type { Policy } from '../../policy/policy.ts'
import { hiddenWhole, viewNow } from '../content/arguments.ts'
import { boundDefinition, digestCall, maskingSchema } from '../content/binding.ts'
import { contentNow, latest, payloadIn, questionOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { type Called, declaredEntry } from '../declared/declarations.ts'
import { policyAnswer, policyName, verdictNow } from '../declared/policy-answer.ts'
import { type CallerIdentity, callAgain } from '../identity.ts'
import { decisionsAtClaim } from '../pdp/decision-points.ts'
import { isSuperseded } from '../pdp/superseded.ts'
import { votersNow } from '../people.ts'
import { newJti } from '../proof/countersignature.ts'
import { type Countersign, countersignOnce } from '../proof/countersigned.ts'
import { barredBy } from './judge.ts'

/** An approval that was spent, and everything its call runs with. */
export interface Claimed {
  readonly approval: Approval
  readonly claim: string
  /** The one it was claimed under: what is still to be looked up is looked up in this. */
  readonly policy: Policy
  /** Canonical text of the arguments that were approved. */
  readonly text: string
  /** The same, as every reader except the tool may see them. */
  readonly shown: Masked<JsonObject>
  readonly payload: Json | undefined
  /** Makes the proof for the next gate. */
  readonly countersign: Countersign | undefined
  /** Whether the tool may still be started: asked last of all. */
  readonly mayStart: (at?: 'any time') => boolean
}

export interface ClaimRequest {
  readonly approval: Approval
  /** The digest as asked. */
  readonly digest: string
  readonly agent: string
  /** Digest of the tool's definition as it is now. */
  readonly definition: string
  readonly lease?: number
  /** What the claimer's own code says of the call. */
  readonly called?: Called | undefined
  /** What an agent elsewhere says that its code says. It counts where it is stricter. */
  readonly agentDeclared?: unknown
}

/**
 * Atomically consumes an approval after revalidating all it rests on. Throws the store's refusal.
 * At most one caller ever succeeds.
 */
export async function claim(
  core: GateContext,
  caller: CallerIdentity,
  request: ClaimRequest,
  times = 0,
): Promise<Claimed> {
  const { approval, digest, agent, definition, lease, called, agentDeclared } = request
  await assertValid(caller)
  const content = await contentNow(core, approval)
  const text = await approvedText(core, approval, content)
  const { parentInput, view } = questionOf(content) ?? {}
  const call = callAgain(approval.call, freshParse(text) as JsonObject, parentInput)
  if (call.server !== undefined || core.policy().pdps.length > 0) await core.locks.current()
  // A function in code was asked once, when people were; what it said is in the requirements.
  const policy = core.releasedPolicy(called)
  const schema = maskingSchema(await boundDefinition(approval.call, content))
  const agents =
    agentDeclared === undefined ? undefined : declaredEntry(policy, call.tool, agentDeclared)
  const shown = viewNow({ policy, call, schema, view })
  const isAsked = policy.pdps.length > 0
  // What was hidden from people is hidden here, whether or not the claimer says so again.
  const paths = isAsked ? [...hiddenWhole(shown), ...(agents?.secrets ?? [])] : []
  const beside = isAsked ? await decisionsAtClaim(policy, call, { schema, paths }) : []
  if (isAsked) {
    await assertValid(caller)
    const isOld = await isSuperseded(core, policy, { called, times })
    if (isOld) return claim(core, caller, request, times + 1)
  }
  const verdict = verdictNow(policy, caller.mode, call, agents, beside)
  if (verdict.verdict === 'deny' && caller.mode.kind === 'denyAll') {
    // A preview runs nothing and spoils nothing either: the approval stays as it is.
    throw new CountersignError('denied_by_policy', verdict.message)
  }
  const barred = await barredBy(core, call)
  // A lock may end tomorrow, so it holds the approval back and does not end it. How many questions
  // wait is no reason against one that has its answer.
  if (barred && barred.code !== 'too_many_pending') {
    throw new CountersignError(barred.code, barred.reason ?? `this call is ${barred.code}`)
  }
  const holder: Holder = {
    claim: crypto.randomUUID(),
    ...(lease === undefined ? { instance: core.store.instance } : { lease }),
  }
  const jti = core.countersign.signer ? newJti() : undefined
  const command: Claim = {
    type: 'claim',
    commandId: crypto.randomUUID(),
    agent,
    digest,
    holder,
    definition,
    answer: policyAnswer(verdict, await policyName(policy), approval.terms),
    voters: await votersNow(core, approval),
    ...(jti === undefined ? {} : { countersignature: jti }),
    ...(approval.grant === undefined ? {} : { grant: approval.grant }),
  }
  // The store counts from when it wrote the claim, which is later than this: so this is safe.
  const sent = performance.now()
  const applied = await core.store.apply(approval.id, command)
  return {
    approval: applied.approval,
    claim: holder.claim,
    policy,
    text,
    shown,
    payload: payloadIn(applied.approval, content),
    countersign:
      jti === undefined
        ? undefined
        : countersignOnce(core, { approval: applied.approval, text, jti }),
    mayStart: (at) =>
      applied.approval.digest === approval.digest &&
      (at === 'any time' || performance.now() - sent < START_WITHIN),
  }
}

async function assertValid({ isValid }: CallerIdentity): Promise<void> {
  if (!isValid || (await isValid())) return
  throw new CountersignError(
    'locked',
    'the caller may no longer make this call: its token was revoked or has ended',
  )
}

/** The bytes people approved. Bytes that do not give the approved digest were never approved. */
export async function approvedText(
  { tenant }: GateContext,
  { id, call, digest }: Approval,
  content: readonly Content[],
): Promise<string> {
  const text = latest(content, 'arguments')
  if (typeof text !== 'string') {
    throw new CountersignError('call_changed', `the arguments of approval ${id} are no longer kept`)
  }
  const matches =
    (await digestCall(tenant, call, text)) === digest && isPlainObject(freshParse(text))
  if (!matches)
    throw new CountersignError('call_changed', `the arguments of approval ${id} were changed`)
  return text
}

/** Whether files or code say that what this tool returns is not to be kept. */
export function dropsResult(
  { owner, code, called }: Policy,
  { kind, server, tool }: AskedCall,
): boolean {
  if (called?.result === 'drop') return true
  const own = kind === 'tool' && server === undefined
  return own && [owner.tools, code].some((tools) => tools.get(tool)?.result === 'drop')
}
