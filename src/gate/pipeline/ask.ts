import type { Approval, AskedCall } from '../../approval/approval.ts'
import type { Request } from '../../approval/command.ts'
import { isCountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Risk } from '../../base/risk.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import { isStoreFailure } from '../background/background.ts'
import { definitionText } from '../content/bound-definition.ts'
import { digestCall, digestDefinition } from '../content/digests.ts'
import { hiddenTexts, keptView } from '../content/view.ts'
import type { GateContext } from '../context.ts'
import { policyName, termsFor } from '../declared/policy-answer.ts'
import { askedCall, type CallerIdentity } from '../identity.ts'
import { type Blocked, blocked } from '../outcome.ts'
import { callAttributes, traced } from '../telemetry/telemetry.ts'
import type { ToolDefinition } from '../tool.ts'
import type { Claimed } from './claim.ts'
import { capsOf, deniedBefore } from './denial-memory.ts'
import type { Judged, Read, Stopped } from './judge.ts'
import { throughGrant } from './use-grant.ts'

export interface AskOptions {
  readonly definition: ToolDefinition | undefined
  readonly looks?: Risk | undefined
  /** `digest`: the caller has no stable keys, so equal calls of a run that are under way are one. */
  readonly join: 'digest' | undefined
  readonly batch: string | undefined
  /** The caller does not wait here: the run goes on later, perhaps much later. */
  readonly suspends?: boolean
  /** A call that a grant covers is claimed at once, because it runs here and now. */
  readonly claims?: boolean
  /** The span that asks. */
  readonly trace?: string | undefined
}

export interface Asked {
  readonly approval: Approval
  /** Of the call as it was asked here, which is what the claim presents. */
  readonly digest: string
  /** A grant let it through: there is no decision to wait for. */
  readonly claimed?: Claimed
}

/** One durable question for this call, or the one that exists. */
export function ask(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: AskOptions,
): Promise<Asked | Blocked> {
  const { call } = judged
  return traced(
    core.telemetry,
    () => ({ name: 'countersign.ask', attributes: callAttributes(call) }),
    async (span) => {
      const asked = await askOnce(core, caller, judged, { ...options, trace: span.traceparent })
      if ('status' in asked) span.set({ 'countersign.status': asked.status })
      else span.set({ 'countersign.approval.id': asked.approval.id })
      return asked
    },
  )
}

async function askOnce(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: AskOptions,
): Promise<Asked | Blocked> {
  const { tool } = judged.call
  try {
    const request = await requestFor(core, caller, judged, options)
    await core.asked.note(request.policy, caller.mode.kind, judged.call)
    const known = judged.call.key !== undefined && (await isKnown(core, request))
    const denied = known ? undefined : await deniedBefore(core, request, judged.verdict)
    if (denied) return denied
    const granted = known
      ? undefined
      : await throughGrant(core, judged, request, {
          claims: options.claims === true,
          schema: options.definition?.inputSchema,
        })
    // A question asked before its channel is open would never be told.
    if (!granted) await core.deliverer?.opened()
    const applied = granted ?? (await core.store.apply(request.id, request))
    await core.probe('question.stored', applied.approval)
    const { approval, joined } = applied
    core.listeners.emit('requested', { approval, joined })
    if (core.strategy && !joined && !granted) await answerBy(core, approval, request)
    const claimed = granted?.claimed
    return { approval, digest: request.digest, ...(claimed ? { claimed } : {}) }
  } catch (error) {
    return refusedBy(error, tool)
  }
}

async function requestFor(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  { definition, looks, join, batch, trace, suspends }: AskOptions,
): Promise<Request> {
  const { call, bytes, verdict, policy, hidden = [] } = judged
  // Without a key of its own an equal call would be taken for the same one; only callers that
  // cannot tell their calls apart want that.
  const key = call.key ?? (join === 'digest' ? undefined : crypto.randomUUID())
  const { context, parent } = call
  const caps = capsOf(policy, caller.door)
  const kept = definitionText(definition)
  const view = keptView(policy, call, { schema: definition?.inputSchema, paths: hidden })
  const known = hiddenTexts(call.args, view?.masked ?? [])
  return {
    type: 'request',
    commandId: crypto.randomUUID(),
    id: newId(),
    tenant: core.tenant,
    ...(await boundCall(core, caller, judged, { definition, looks, key, batch })),
    requirements: verdict.requirements,
    terms: termsFor(verdict, suspends === true),
    policy: await policyName(policy),
    ...(caps ? { caps } : {}),
    directory: await core.people.directory(),
    content: {
      arguments: bytes.text,
      message: verdict.message,
      missing: verdict.missing,
      // What an agent says is bound to nothing, so it is kept as it is shown.
      ...(context ? { context: mask(context, { known }).value } : {}),
      ...(parent ? { parentInput: canonicalJson(parent.input) } : {}),
      ...(view ? { view } : {}),
      ...(kept === undefined ? {} : { definition: kept }),
      ...(trace === undefined ? {} : { trace }),
    },
  }
}

interface Binding {
  readonly definition: ToolDefinition | undefined
  readonly looks?: Risk | undefined
  readonly key: string | undefined
  readonly batch?: string | undefined
}

/** The call as an approval names it, and its digest. */
async function boundCall(
  { tenant }: GateContext,
  caller: CallerIdentity,
  { call, bytes, policy }: Read,
  { definition, looks, key, batch }: Binding,
): Promise<{ readonly call: AskedCall; readonly digest: string }> {
  const named = askedCall({
    call,
    key,
    caller,
    policy,
    definition: await digestDefinition(definition),
    batch,
    looks,
  })
  return { call: named, digest: await digestCall(tenant, named, bytes.text) }
}

/**
 * A call that is refused now may have run before, under the same key. Then what became of it is
 * the answer: saying that it did not run would not be true.
 */
export async function ranBefore(
  core: GateContext,
  caller: CallerIdentity,
  { read }: Stopped,
  definition: ToolDefinition | undefined,
): Promise<Approval | undefined> {
  if (!read || caller.mode.kind === 'denyAll') return undefined
  try {
    const found = await askedBefore(core, caller, read, definition)
    return found?.execution ? found : undefined
  } catch {
    return undefined
  }
}

/** The approval that was asked for exactly this call, under its key. */
export async function askedBefore(
  core: GateContext,
  caller: CallerIdentity,
  read: Read,
  definition: ToolDefinition | undefined,
): Promise<Approval | undefined> {
  const { run, key } = read.call
  if (run === undefined || key === undefined) return undefined
  const { call, digest } = await boundCall(core, caller, read, { definition, key })
  const found = await core.store.find({ agent: call.agent, run, key })
  return found?.askedDigest === digest ? found : undefined
}

interface Before {
  readonly definition: ToolDefinition | undefined
  /** A function in code said that no approval is needed. A moment ago it may have disagreed. */
  readonly byFunction: boolean
}

/**
 * Rules that allow a call now may have asked about it before, under the same key. Then what people
 * decide stands: a no stays a no, and what still waits goes on waiting.
 */
export async function askedByOtherRules(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged,
  { definition, byFunction }: Before,
): Promise<Asked | Blocked | undefined> {
  const { run, key, tool } = judged.call
  try {
    // Also without a key: from then on the quick way knows.
    const isPossible =
      byFunction || (await core.asked.byOthers(judged.policy, caller.mode.kind, judged.call))
    if (!isPossible || run === undefined || key === undefined) return undefined
    const { call, digest } = await boundCall(core, caller, judged, { definition, key })
    const approval = await core.store.find({ agent: call.agent, run, key })
    if (!approval) return undefined
    if (approval.askedDigest === digest) return { approval, digest }
    const reason = `key ${key} already names another call of this run`
    return blocked('key_reused', { tool, reason, approval })
  } catch (error) {
    return refusedBy(error, tool)
  }
}

/** Asked before under the same key: then the answer is what became of that, and nothing else. */
async function isKnown(
  { store }: GateContext,
  { call: { agent, run, key } }: Request,
): Promise<boolean> {
  if (run === undefined || key === undefined) return false
  return (await store.find({ agent, run, key })) !== undefined
}

/** For tests: what people would say, said through the same door as theirs. */
async function answerBy(
  core: GateContext,
  approval: Approval,
  { directory }: Request,
): Promise<void> {
  for (const { by, verdict, reason } of core.strategy?.answers(approval, directory) ?? []) {
    const { approval: now } = await core.store.apply(approval.id, {
      type: 'decide',
      commandId: crypto.randomUUID(),
      by,
      verdict,
      seen: approval.digest,
      ...(reason === undefined ? {} : { reason }),
    })
    if (now.status !== 'pending') return
  }
}

/** A store that fails and a store that refuses are told apart; neither lets the call run. */
export function refusedBy(error: unknown, tool: string, approval?: Approval): Blocked {
  if (!isCountersignError(error)) return blocked('store_unavailable', { tool, approval })
  const { code, message } = error
  if (isStoreFailure(error)) return blocked(code, { tool, approval, as: 'unavailable' })
  return blocked(code, { tool, reason: message, approval })
}
