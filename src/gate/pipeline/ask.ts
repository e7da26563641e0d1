import type { Approval } from '../../approval/approval.ts'
import type { Request } from '../../approval/command.ts'
import type { Risk } from '../../base/call.ts'
import { newId } from '../../base/id.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import { definitionText } from '../content/bound-definition.ts'
import { hiddenTexts, keptView } from '../content/view.ts'
import type { GateContext } from '../context.ts'
import { policyName, termsFor } from '../declared/policy-answer.ts'
import { formText } from '../form/form.ts'
import type { CallerIdentity } from '../identity.ts'
import { type Blocked, refusedBy } from '../outcome.ts'
import { callAttributes, traced } from '../telemetry/telemetry.ts'
import type { ToolDefinition } from '../tool.ts'
import type { Claimed } from './claim.ts'
import { capsOf, deniedBefore } from './denial-memory.ts'
import type { Judged } from './judge.ts'
import { boundCall } from './prior.ts'
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
    await core.asked.note(request.policy, caller.mode.kind, judged.call, judged.isAgentDeclared)
    const { agent, server, run, key } = request.call
    const { digest } = request
    const before = await core.store.before({ agent, tool, server, run, key, digest })
    // Asked before under the same key: then the answer is what became of that, and nothing else.
    const known = before.approval !== undefined
    const denied = known
      ? undefined
      : await deniedBefore(core, request, judged.verdict, before.denied)
    if (denied) return denied
    const granted = known
      ? undefined
      : await throughGrant(core, judged, request, {
          grants: before.grants,
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
