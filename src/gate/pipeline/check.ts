import type { Approval } from '../../approval/approval.ts'
import type { Call } from '../../base/call.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { observe } from '../../policy/evaluate/mode.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import { freshArgs } from '../content/arguments.ts'
import { latest, payloadOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import type { CallDeclaration } from '../declared/declarations.ts'
import type { CallerIdentity } from '../identity.ts'
import { emitAllowed } from '../listeners.ts'
import { stricterMode } from '../mode-of.ts'
import { type Blocked, type Pending, refusedBy } from '../outcome.ts'
import { type MakePreview, previewMaker } from '../preview/make-preview.ts'
import type { Previewing } from '../preview/previewing.ts'
import type { ToolDefinition } from '../tool.ts'
import { ask } from './ask.ts'
import type { Quick } from './fast-path.ts'
import { type Judged, judgeCall } from './judge.ts'
import { askedByOtherRules, findPrior, ranBefore } from './prior.ts'
import { outcomeOf } from './replay.ts'

/** Where a call stands. Nothing is claimed: `run` and `resume` alone do that. */
export type Checked =
  | { readonly status: 'allowed'; readonly args: JsonObject }
  | Blocked
  | (Pending & { readonly approval: Approval })
  /** A yes is there: `resume` runs the call, or tells how it went. */
  | {
      readonly status: 'approved'
      readonly approval: Approval
      /** What an approver attached to their yes. */
      readonly payload?: Json
      /** What the call runs with, where a person changed its arguments. */
      readonly args?: JsonObject
    }

export interface CheckOptions extends Previewing {
  readonly key?: string | undefined
  readonly join?: 'digest' | undefined
  readonly batch?: string | undefined
  /** Proof from another gate that this call was approved there. It is used up by `allowed`. */
  readonly countersignature?: string | undefined
  /** The caller waits for the answer, so a yes need not outlive a suspended run. */
  readonly waits?: boolean | undefined
  /** Of the tool; what this gate registered under its name, for this agent, unless given. */
  readonly definition?: ToolDefinition | undefined
  /** What the caller's own code says of this call, and of no other. */
  readonly declared?: CallDeclaration | undefined
  /** The same of an agent elsewhere, unverified. It counts where it is stricter. */
  readonly agentDeclared?: unknown
  /** JSON Schema of what an approver fills in. */
  readonly form?: JsonObject | undefined
  /**
   * The call was read from JSON, strictly, for this check alone: plain values that no other code
   * holds. Then an allowed call is answered without reading it once more.
   */
  readonly isParsed?: boolean | undefined
}

/** Ask and return at once. The answer is fetched later, by checking again or by its id. */
export async function checkCall(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions,
): Promise<Checked> {
  return checked(core, caller, quick, call, options, (judged) =>
    askAbout(core, caller, judged, options),
  )
}

/** It needs a new question, for which the caller has yet to make a preview. */
export interface Unasked {
  readonly status: 'unasked'
}

/** The same for a caller elsewhere: with the preview it made, or before it makes one. */
export async function checkPreviewed(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions & { readonly made: MakePreview | 'later' },
): Promise<Checked | Unasked> {
  return checked(core, caller, quick, call, options, (judged) =>
    askWith(core, caller, judged, options, options.made),
  )
}

/**
 * The status of a call that approval was asked for, and what policy denies; undefined for a call
 * without a question. Never asks: looking at a conversation must not make it wait.
 */
export async function askedAbout(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions,
): Promise<Exclude<Checked, { status: 'allowed' }> | undefined> {
  const now = await checked(core, caller, quick, call, options, async (judged) => {
    try {
      if (!(await judged.prior())) return undefined
      return await askAbout(core, caller, judged, { ...options, countersignature: undefined })
    } catch (error) {
      return refusedBy(error, judged.call.tool)
    }
  })
  return now?.status === 'allowed' ? undefined : now
}

/**
 * As under `observe`: the owner's rules are recorded and not enforced. Undefined for a call that
 * governance asks about. Never asks, so no approval rests on rules that were left out.
 */
export function observedCall(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions,
): Promise<Checked | undefined> {
  const observing = { ...caller, mode: stricterMode(observe(), caller.mode) }
  return checked(core, observing, quick, call, options, async () => undefined)
}

/** What the policy says of a call now; undefined where a person would have to be asked. Never asks. */
export function judgedOnly(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions,
): Promise<Checked | undefined> {
  return checked(core, caller, quick, call, options, async () => undefined)
}

/** `whereAsked` answers for a call that the policy asks about. */
async function checked<T>(
  core: GateContext,
  caller: CallerIdentity,
  quick: Quick,
  call: Call,
  options: CheckOptions,
  whereAsked: (judged: Judged & { readonly verdict: Asks }) => Promise<T>,
): Promise<Checked | T> {
  const { key, declared, agentDeclared } = options
  const { definition = core.registry.definitionOf(caller, call) } = options
  if (options.isParsed && isPlain(core, caller, call, options) && quick.allows(call)) {
    emitAllowed(core.listeners, call, caller.agent)
    return { status: 'allowed', args: call.args }
  }
  const judged = await judgeCall(core, caller, {
    call,
    key,
    definition,
    declared,
    agentDeclared,
  })
  if ('refused' in judged) {
    const before = await ranBefore(core, caller, judged.read)
    return before ? approved(core, before.approval) : judged.refused
  }
  const { verdict } = judged
  if (verdict.verdict === 'allow') {
    const other = await askedByOtherRules(core, caller, judged)
    if (other) return 'status' in other ? other : await checkedOf(core, other.approval)
    if (agentDeclared === undefined) return { status: 'allowed', args: freshArgs(judged.bytes) }
    // A function in the caller's code may have said otherwise before: what people decide stands.
    try {
      const before = await findPrior(core, caller, judged)
      if (before?.isSame) return await checkedOf(core, before.approval)
    } catch (error) {
      return refusedBy(error, judged.call.tool)
    }
    return { status: 'allowed', args: freshArgs(judged.bytes) }
  }
  return whereAsked({ ...judged, verdict })
}

/** Asks, or finds the question that was asked. */
async function askAbout(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: CheckOptions,
): Promise<Checked> {
  const { tool } = judged.call
  const made = previewMaker(options, { tool, bytes: judged.bytes })
  // Only a caller that makes its preview later is told that nothing was asked.
  return (await askWith(core, caller, judged, options, made)) as Checked
}

async function askWith(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  options: CheckOptions,
  preview: MakePreview | 'later' | undefined,
): Promise<Checked | Unasked> {
  const { definition = core.registry.definitionOf(caller, judged.call) } = options
  const { join, batch, countersignature, waits } = options
  const suspends = waits !== true
  const made = { definition, join, batch, suspends, countersignature, preview }
  const asked = await ask(core, caller, judged, made)
  if ('status' in asked) return asked
  if ('isUnasked' in asked) return { status: 'unasked' }
  if ('isCountersigned' in asked) return { status: 'allowed', args: freshArgs(judged.bytes) }
  return checkedOf(core, asked.approval)
}

/** Nothing besides the policy has a say, and the parser's own limits are the only ones. */
function isPlain(
  core: GateContext,
  caller: CallerIdentity,
  call: Call,
  { definition, declared, agentDeclared }: CheckOptions,
): boolean {
  const { argsBytes, argsDepth } = core.policy().owner.limits
  return (
    definition === undefined &&
    declared === undefined &&
    agentDeclared === undefined &&
    core.registry.definitionOf(caller, call) === undefined &&
    // Listeners are handed the arguments, and those of the full path cannot be changed.
    !core.listeners.has('evaluated') &&
    call.context === undefined &&
    call.parent === undefined &&
    argsBytes === undefined &&
    argsDepth === undefined
  )
}

async function checkedOf(core: GateContext, approval: Approval): Promise<Checked> {
  if (approval.status === 'approved') return approved(core, approval)
  const outcome = await outcomeOf(core, approval)
  return outcome.status === 'pending' ? { ...outcome, approval } : (outcome as Blocked)
}

async function approved(core: GateContext, approval: Approval): Promise<Checked> {
  const { edited } = approval
  return {
    status: 'approved',
    approval,
    ...(await payloadOf(core, approval)),
    ...(edited.length > 0 ? await editedArgs(core, approval) : {}),
  }
}

/** Those the claim would hand out: the caller that asked may see what it will run. */
async function editedArgs(
  { store }: GateContext,
  { id }: Approval,
): Promise<{ readonly args?: JsonObject }> {
  const text = latest(await store.content(id, ['arguments']), 'arguments')
  return typeof text === 'string' ? { args: freshParse(text) as JsonObject } : {}
}
