import type { Approval } from '../../approval/approval.ts'
import type { Request } from '../../approval/command.ts'
import type { Caps } from '../../approval/commands/caps.ts'
import type { Risk } from '../../base/call.ts'
import { newId } from '../../base/id.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Applied } from '../../store/store.ts'
import { hiddenTexts, keptView } from '../content/arguments.ts'
import { boundCall, definitionText } from '../content/binding.ts'
import type { GateContext } from '../context.ts'
import { policyName, termsFor } from '../declared/policy-answer.ts'
import { formText } from '../form/form.ts'
import type { CallerIdentity } from '../identity.ts'
import { type Blocked, blocked, refusedBy } from '../outcome.ts'
import type { MakePreview } from '../preview/make-preview.ts'
import { previewDigest, previewText } from '../preview/stored-preview.ts'
import { isCountersigned } from '../proof/countersigned.ts'
import { callAttributes } from '../telemetry/telemetry.ts'
import type { ToolDefinition } from '../tool.ts'
import type { Claimed } from './claim.ts'
import type { Judged } from './judge.ts'
import { deniedBefore } from './prior.ts'
import { type GrantedCall, throughGrant } from './use-grant.ts'

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
  /** Proof from another gate that this call was approved there. */
  readonly countersignature?: string | undefined
  /** Made just before a new question is stored. `later`: the caller makes it, and asks again. */
  readonly preview?: MakePreview | 'later' | undefined
  /** Of the caller, who may give up while its preview is made. */
  readonly signal?: AbortSignal | undefined
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

/** People said yes to exactly this call at another gate: nothing is asked, and nothing is stored. */
export interface Countersigned {
  readonly isCountersigned: true
}

/** It needs a new question, for which the caller has yet to make a preview. */
export interface Unasked {
  readonly isUnasked: true
}

/** One durable question for this call, or the one that exists. */
export function ask(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: AskOptions,
): Promise<Asked | Countersigned | Unasked | Blocked> {
  const { telemetry } = core
  if (!telemetry) return askOnce(core, caller, judged, options)
  const attributes = callAttributes(judged.call)
  return telemetry.span({ name: 'countersign.ask', attributes }, async (span) => {
    const asked = await askOnce(core, caller, judged, { ...options, trace: span.traceparent })
    if ('status' in asked) span.set({ 'countersign.status': asked.status })
    else if ('isCountersigned' in asked) span.set({ 'countersign.status': 'countersigned' })
    else if ('approval' in asked) span.set({ 'countersign.approval.id': asked.approval.id })
    return asked
  })
}

async function askOnce(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: AskOptions,
): Promise<Asked | Countersigned | Unasked | Blocked> {
  const { tool } = judged.call
  try {
    const request = await requestFor(core, caller, judged, options)
    await core.asked.note(request.policy, caller.mode.kind, judged.call, judged.isAgentDeclared)
    const answer = await askFirst(core, caller, judged, request, options)
    if (!('applied' in answer)) return answer
    const { applied, granted } = answer
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

interface AskedFirst {
  readonly applied: Applied
  readonly granted?: GrantedCall | undefined
}

/**
 * Asks, unless a denial, a countersignature or a grant answers. Mostly there is none, and the store
 * sees that too.
 */
async function askFirst(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  request: Request,
  options: AskOptions,
): Promise<AskedFirst | Countersigned | Unasked | Blocked> {
  const { store } = core
  const { countersignature, preview } = options
  // A question asked before its channel is open would never be told.
  const opened = () => core.deliverer?.opened()
  if (store.ask && countersignature === undefined && preview === undefined) {
    await opened()
    const applied = await store.ask(request)
    if (applied) return { applied }
  }
  const { digest } = request
  const { agent, tool, server, run, key } = request.call
  const before = await store.before({ agent, tool, server, run, key, digest })
  // Asked before under the same key: then the answer is what became of that, and nothing else.
  const known = before.approval !== undefined
  const denied = known
    ? undefined
    : await deniedBefore(core, request, judged.verdict, before.denied)
  if (denied) return denied
  // After what people here answered before: a no of theirs is not undone by a yes elsewhere.
  // It holds no answers to a form of this gate.
  const isProved =
    !known &&
    countersignature !== undefined &&
    judged.call.form === undefined &&
    (await isCountersigned(core, caller, judged, countersignature))
  if (isProved) return { isCountersigned: true }
  const granted =
    known || before.grants.length === 0
      ? undefined
      : await throughGrant(core, judged, request, {
          grants: before.grants,
          claims: options.claims === true,
          schema: options.definition?.inputSchema,
        })
  if (granted) return { applied: granted, granted }
  // A question that exists keeps the preview it was asked with.
  const isNew = preview !== undefined && !known && !(await joinedBy(core, request, options))
  if (isNew && preview === 'later') return { isUnasked: true }
  const shown = isNew && preview !== 'later' ? await previewed(judged, request, preview) : request
  if (isNew && options.signal?.aborted) return blocked('withdrawn', { tool })
  await opened()
  return { applied: await store.apply(shown.id, shown) }
}

/** The question under way that an equal call without a key joins. */
async function joinedBy(
  { store }: GateContext,
  { call: { agent, run, key }, digest }: Request,
  { join }: AskOptions,
): Promise<boolean> {
  if (join !== 'digest' || key !== undefined || run === undefined) return false
  return (await store.findByDigest({ agent, run, digest })) !== undefined
}

/** The same question with its preview. The digest of the call stays what it was. */
async function previewed(
  { call: { args } }: Judged,
  request: Request,
  make: MakePreview,
): Promise<Request> {
  const { call, content } = request
  const preview = previewText(await make(), hiddenTexts(args, content.view?.masked ?? []))
  return {
    ...request,
    call: { ...call, preview: await previewDigest(preview) },
    content: { ...content, preview },
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
  const { context, parent, form } = call
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
    terms: termsFor(verdict, suspends === true, caller.confirmWithin),
    policy: await policyName(policy),
    ...(caps ? { caps } : {}),
    directory: await core.people.directory(),
    content: {
      arguments: bytes.text,
      message: verdict.message,
      missing: verdict.missing,
      values: verdict.values,
      ...(verdict.authored ? { authored: true } : {}),
      // What an agent says is bound to nothing, so it is kept as it is shown.
      ...(context ? { context: mask(context, { known }).value } : {}),
      ...(parent ? { parentInput: canonicalJson(parent.input) } : {}),
      ...(view ? { view } : {}),
      ...(kept === undefined ? {} : { definition: kept }),
      ...(trace === undefined ? {} : { trace }),
      ...(form ? { form: await formText(form, known) } : {}),
    },
  }
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

/** An agent that floods people with questions is stopped by the store, which counts and asks at once. */
function capsOf({ owner: { limits } }: Policy, door: string): Caps | undefined {
  const { pendingPerAgent = isRemote(door) ? PENDING : undefined, asksPerMinute } = limits
  const [pending, perMinute] = [pendingPerAgent, asksPerMinute]
  if (pending === undefined && perMinute === undefined) return undefined
  return {
    ...(pending === undefined ? {} : { pending }),
    ...(perMinute === undefined ? {} : { perMinute }),
  }
}

/** More than people answer. `limits.pending_per_agent` overrides it. */
const PENDING = 100

const REMOTE: readonly string[] = ['http', 'vouched', 'mcp', 'authzen']

/** The program in this process can bound its own agent; a remote agent only the gate can bound. */
function isRemote(door: string): boolean {
  return REMOTE.includes(door)
}
