import type { Approval } from '../../approval/approval.ts'
import type { Finish } from '../../approval/command.ts'
import { START_WITHIN } from '../../approval/commands/execution.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { digestDefinition } from '../content/binding.ts'
import { askedBy, editedBy } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { type CallerIdentity, ownerName } from '../identity.ts'
import type { Edited } from '../outcome.ts'
import { LONGEST_LIFE, mintCountersignature } from '../proof/countersignature.ts'
import { audienceOf } from '../proof/countersignature-check.ts'
import { oneHopOnly } from '../proof/countersigned.ts'
import { tracedStep } from '../telemetry/telemetry.ts'
import type { ToolDefinition } from '../tool.ts'
import { approvedText, claim, dropsResult } from './claim.ts'

/** A claim for someone who runs the call elsewhere and proves by renewing that they still live. */
export interface LeasedClaim {
  readonly claim: string
  readonly args: JsonObject
  /** Of the call that runs: another than the one presented when people edited it. */
  readonly digest: string
  readonly edited?: Edited
  readonly decision?: Json
  readonly idempotencyKey: string
  /** Milliseconds until it must be renewed. */
  readonly lease: number
  /** Milliseconds within which the call must be started, or not at all. */
  readonly startWithin: number
  /** `countersignLease` makes the proof for the next gate. */
  readonly countersigns: boolean
  readonly approval: Approval
}

export interface ClaimOptions {
  readonly lease?: number | undefined
  /** The tool's definition now; as it was asked unless given. */
  readonly definition?: ToolDefinition | undefined
  /** What the agent says that its code says of the call. It counts where it is stricter. */
  readonly agentDeclared?: unknown
}

const LEASE = 60_000

/** Throws the refusal: this is for doors that answer with codes. */
export async function claimByLease(
  core: GateContext,
  caller: CallerIdentity,
  id: string,
  digest: string,
  { lease = LEASE, definition, agentDeclared }: ClaimOptions,
): Promise<LeasedClaim> {
  const asked = await core.store.get(id)
  if (!asked || isForAnother(asked, caller)) {
    throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  }
  const request = {
    approval: asked,
    digest,
    agent: caller.agent ? ownerName(caller.agent) : asked.call.agent,
    definition: definition ? await digestDefinition(definition) : asked.call.definition,
    lease,
    agentDeclared,
  }
  const about = await askedBy(core, id)
  const claimed = await tracedStep(
    core,
    'countersign.claim',
    { id, tool: asked.call.tool },
    () => claim(core, caller, request),
    about,
  )
  const { approval, text, payload } = claimed
  const edited = editedBy(claimed)
  return {
    claim: claimed.claim,
    args: freshParse(text) as JsonObject,
    digest: approval.digest,
    ...(edited ? { edited } : {}),
    ...(payload === undefined ? {} : { decision: payload }),
    idempotencyKey: id,
    lease,
    startWithin: START_WITHIN,
    countersigns: claimed.countersign !== undefined && !(await isWordedByAgent(approval)),
    approval,
  }
}

export interface Countersigning {
  readonly id: string
  readonly claim: string
  /** The next gate; those on this database unless set. */
  readonly audience?: string | undefined
}

/**
 * Proof of a claimed call for someone who runs it elsewhere: for exactly the call that people
 * approved, for one hop, whichever server is asked and however often.
 */
export async function countersignLease(
  core: GateContext,
  { id, claim: name, audience }: Countersigning,
): Promise<string> {
  const { store, countersign } = core
  const { signer } = countersign
  const approval = await store.get(id)
  if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  if (approval.execution?.claim !== name) {
    throw new CountersignError('not_the_claimer', `approval ${id} was claimed by another caller`)
  }
  if (!signer || (await isWordedByAgent(approval))) {
    throw new CountersignError('not_permitted', 'this call is not countersigned', {
      hint: 'The server needs a key, and a tool of a server must be asked about without a definition of the agent.',
    })
  }
  const text = await approvedText(core, approval, await store.content(id))
  const jti = await claimedJti(store, id, name)
  if (jti === undefined) {
    throw new CountersignError('not_permitted', 'the claim names no countersignature')
  }
  const hop = { audience: audience ?? audienceOf(store) }
  const token = await mintCountersignature({ signer, approval, jti, text, hop })
  const end = approval.execution.claimedAt + LONGEST_LIFE * 1_000
  // Two gates with a store each would both accept the same name once.
  if (!(await store.vault.spend(`hop ${signer.issuer} ${jti}`, end))) throw oneHopOnly()
  return token
}

/** The name that was recorded with the claim. */
async function claimedJti(
  { events }: GateContext['store'],
  id: string,
  name: string,
): Promise<string | undefined> {
  for (const { event } of await events(id)) {
    if (event.type !== 'claimed' || event.facts?.claim !== name) continue
    const { countersignature } = event.facts
    return typeof countersignature === 'string' ? countersignature : undefined
  }
  return undefined
}

/**
 * What a tool of a server does was described by the agent that asked. The next gate may reach the
 * real one, so people have not approved that.
 */
async function isWordedByAgent({ call }: Approval): Promise<boolean> {
  return call.server !== undefined && call.definition !== (await digestDefinition(undefined))
}

/** A gate that speaks for one person claims nothing that was approved for another. */
export function isForAnother(
  { call }: Approval,
  { principal }: Pick<CallerIdentity, 'principal'>,
): boolean {
  if (principal === undefined) return false
  const [own, asked] = [principal, call.principal].map((name) => name?.email ?? name?.subject ?? '')
  return foldAddress(own ?? '') !== foldAddress(asked ?? '')
}

export async function renewLease(
  { store }: GateContext,
  { id, claim: name, lease = LEASE }: { id: string; claim: string; lease?: number },
): Promise<Approval> {
  const commandId = crypto.randomUUID()
  return (await store.apply(id, { type: 'renew', commandId, claim: name, lease })).approval
}

export interface Finished {
  readonly id: string
  readonly claim: string
  readonly outcome: Finish['outcome']
  readonly result?: Json
  /** There is a result that is not sent: code says so, or it is too large or not JSON. */
  readonly drop?: boolean | undefined
}

/** How it went, told by the holder of the claim. Also accepted late, and then marked so. */
export async function finishClaim(
  { store, policy }: GateContext,
  { id, claim: name, outcome, result, drop }: Finished,
): Promise<Approval> {
  const approval = await store.get(id)
  if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  const commandId = crypto.randomUUID()
  const isDropped = drop === true || dropsResult(policy(), approval.call)
  // What is not JSON or too large is left out where the record is made; the outcome counts.
  const kept = isDropped ? { drop: true } : result === undefined ? {} : { result }
  const finish: Finish = { type: 'finish', commandId, claim: name, outcome, ...kept }
  return (await store.apply(id, finish)).approval
}
