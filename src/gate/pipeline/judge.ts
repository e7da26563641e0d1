import type { Approval } from '../../approval/approval.ts'
import { lockedBecause, lockOn } from '../../approval/locks/lock.ts'
import { agentAlias, type Call, isFalseRead } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import { readCall } from '../../policy/call.ts'
import type { ToolEntry } from '../../policy/document.ts'
import { shownArguments } from '../../policy/evaluate/declared.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Mode, SettledMode } from '../../policy/evaluate/mode.ts'
import type { Path } from '../../policy/evaluate/path.ts'
import type { Allow, Asks } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { JudgedCall } from '../backend.ts'
import { isStoreFailure } from '../background/background.ts'
import { hiddenTexts, type Snapshot, snapshot } from '../content/arguments.ts'
import { boundedKey, isLongKey } from '../content/binding.ts'
import type { Barred, GateContext } from '../context.ts'
import { type CallDeclaration, type Called, declaredEntry } from '../declared/declarations.ts'
import { copiedForm } from '../form/form.ts'
import { type CallerIdentity, identified, lockable, ownerName } from '../identity.ts'
import { emitAllowed } from '../listeners.ts'
import { type Blocked, blocked, refusedBy } from '../outcome.ts'
import { decisionsOn } from '../pdp/decision-points.ts'
import { isSuperseded } from '../pdp/superseded.ts'
import { recordObserved } from '../telemetry/observe.ts'
import type { ToolDefinition } from '../tool.ts'
import { allRelease, settleMode } from './resolve-mode.ts'

/** The approval under a call's key. Every step of one call shares the answer to one read. */
export type ReadPrior = () => Promise<Approval | undefined>

/** Without a run and a key a call has no earlier one. */
export function priorOf({ store }: GateContext, { agent, run, key }: Call): ReadPrior {
  if (run === undefined || key === undefined) return async () => undefined
  let found: Promise<Approval | undefined> | undefined
  return () => {
    found ??= store.find({ agent: ownerName(agent), run, key })
    return found
  }
}

/** A call as it was read, once: nothing of the caller's is looked at again. */
export interface Read {
  readonly call: Call
  readonly bytes: Snapshot
  readonly policy: Policy
  /** Of the tool. Part of what an approval is bound to. */
  readonly definition: ToolDefinition | undefined
  /** What the caller's own code says of this call. */
  readonly called?: Called | undefined
  readonly prior: ReadPrior
}

/** With what the policy says of exactly that. */
export interface Judged extends Read, JudgedCall {
  readonly verdict: Allow | Asks
  /** A function in code decided. A moment ago it may have disagreed. */
  readonly byFunction: boolean
  /** Arguments that a remote agent's declaration hides besides the policy's. */
  readonly hidden?: readonly Path[]
  /** Code of an agent elsewhere had a say. */
  readonly isAgentDeclared?: boolean
}

/** Refused before any approval was asked for; without `read` where it could not be read. */
export type Stopped = { readonly refused: Blocked; readonly read?: Read | undefined }

export interface Given {
  readonly call: Call
  readonly key: string | undefined
  readonly definition: ToolDefinition | undefined
  /** What the caller's own code says of this call. */
  readonly declared?: CallDeclaration | undefined
  /** What an agent elsewhere says that its code says. It counts where it is stricter. */
  readonly agentDeclared?: unknown
}

/** Validate, then policy, then locks: a call that would be refused anyway asks for no approval. */
export async function judgeCall(
  core: GateContext,
  caller: CallerIdentity,
  given: Given,
): Promise<Judged | Stopped> {
  try {
    return await judge(core, caller, given)
  } catch (error) {
    // Policy or locks cannot be had, or a rule breaks: the verdict is unknown, so nothing runs.
    const tool = String(given.call.tool)
    const isKnown = isCountersignError(error) && (isStoreFailure(error) || isModeRefused(error))
    const code = isKnown ? error.code : 'internal'
    return { refused: blocked(code, { tool, as: 'unavailable' }) }
  }
}

/** A mistake in the program's own mode; its code tells its author where to look. */
function isModeRefused({ code }: CountersignError): boolean {
  return code === 'mode_refused'
}

async function judge(
  core: GateContext,
  caller: CallerIdentity,
  { call, key, definition, declared, agentDeclared }: Given,
  times = 0,
): Promise<Judged | Stopped> {
  let policy = core.policy()
  let read: Read
  let agents: ToolEntry | undefined
  const called = calledOf(call.tool, declared)
  try {
    if (called) policy = core.policy(called)
    const { call: own, bytes, longKey } = readGiven(call, caller, key, policy)
    const named = longKey === undefined ? own : { ...own, key: await boundedKey(longKey) }
    read = { call: named, bytes, policy, definition, called, prior: priorOf(core, named) }
  } catch (error) {
    return { refused: invalid(call, error) }
  }
  if (read.call.server !== undefined || policy.pdps.length > 0) {
    // After the arguments were copied: nothing of the caller's may change while we wait.
    await core.locks.current()
    policy = core.policy(called)
    read = { ...read, policy }
  }
  try {
    if (core.validate && definition?.inputSchema !== undefined) {
      read = await validated(core, read, definition.inputSchema)
    }
    agents =
      agentDeclared === undefined ? undefined : declaredEntry(policy, call.tool, agentDeclared)
    read = await released(core, read, called)
  } catch (error) {
    return { refused: invalid(call, error) }
  }
  await core.probe('call.read')
  const { tool } = read.call
  // One policy judges: another may have come into force while functions were asked.
  policy = read.policy
  // A custom mode alone has a function to ask.
  const mode =
    caller.mode.kind === 'custom' ? await settleMode(caller.mode, policy, read.call) : caller.mode
  const hidden = agents?.secrets ?? []
  const secrecy = { schema: definition?.inputSchema, paths: hidden }
  const ruled = evaluate(policy, read.call, mode, secrecy, agents)
  // Asked last, and only about what the rules let through or ask about.
  const isAsked = policy.pdps.length > 0 && ruled.verdict !== 'deny'
  const beside = isAsked ? await decisionsOn(policy, read.call, secrecy) : []
  if (isAsked && (await isSuperseded(core, policy, { called, times }))) {
    // As it was read: nothing of the caller's is looked at again, and it has its key already.
    const again = { call: read.call, key: undefined, definition, declared, agentDeclared }
    return judge(core, caller, again, times + 1)
  }
  const verdict =
    beside.length === 0 ? ruled : evaluate(policy, read.call, mode, secrecy, agents, beside)
  core.listeners.emit('evaluated', { call: read.call, verdict })
  await core.probe('verdict.known')
  if (verdict.verdict === 'deny') {
    const { server } = read.call
    const [first] = verdict.reasons
    core.listeners.emit('judged', {
      verdict: 'deny',
      agent: agentAlias(read.call),
      server,
      tool,
      rule: first?.rule,
    })
    return { refused: deniedBy(verdict.message, caller.mode, tool), read }
  }
  const barred = await barredBy(core, read.call)
  if (barred) return { refused: blocked(barred.code, { tool, reason: barred.reason }), read }
  if (mode.kind === 'observe') {
    try {
      await recordObserved(core, read, verdict, { schema: definition?.inputSchema, agents })
    } catch (error) {
      return { refused: refusedBy(error, tool), read }
    }
  }
  if (verdict.verdict === 'allow') emitAllowed(core.listeners, read.call, caller.agent)
  const byFunction = declared?.byFunction === true
  return {
    ...read,
    verdict,
    isAllowed: verdict.verdict === 'allow',
    waitFor: verdict.verdict === 'allow' ? undefined : verdict.terms.waitFor,
    // The function of a custom mode may have answered otherwise before, like one that declares.
    // So may a decision point.
    byFunction: byFunction || mode.kind === 'answered' || policy.pdps.length > 0,
    ...(hidden.length > 0 ? { hidden } : {}),
    ...(agents ? { isAgentDeclared: true } : {}),
  }
}

/** A declaration that came with a call, with the tool it is about. */
export function calledOf(tool: string, declared: CallDeclaration | undefined): Called | undefined {
  return declared === undefined ? undefined : { tool, declared }
}

/**
 * Asks the functions that code declared for this tool; the call is free of them when all say no.
 * Once people were asked about a call they have had their say: answering otherwise now would run
 * what people have not decided.
 */
async function released(core: GateContext, read: Read, called: Called | undefined): Promise<Read> {
  const { kind = 'tool', server, tool, args } = read.call
  if (kind !== 'tool' || server) return read
  const predicates = core.declarations.predicatesOf(tool)
  if (predicates.length === 0 || (await read.prior())) return read
  const released = await allRelease(predicates, args)
  return released ? { ...read, policy: core.releasedPolicy(called) } : read
}

function readGiven(
  call: Call,
  caller: CallerIdentity,
  key: string | undefined,
  policy: Policy,
): Pick<Read, 'call' | 'bytes'> & { readonly longKey?: string } {
  // A server may call a tool what it likes; the rules for reads are not about it.
  if (isFalseRead(call)) {
    throw new CountersignError('invalid_call', `${call.tool} is not a name for a tool`)
  }
  const whole = identified(call, caller, key)
  const long = isLongKey(whole.key) ? { longKey: whole.key } : {}
  const bytes = snapshot(whole.args, policy.owner.limits)
  const { parent, context, form } = whole
  const copy = {
    ...whole,
    args: bytes.args,
    ...('longKey' in long ? { key: undefined } : {}),
    ...(parent === undefined ? {} : { parent: snapshot(parent).args }),
    ...(context === undefined ? {} : { context: snapshot(context).args }),
    ...(form === undefined ? {} : { form: copiedForm(form) }),
  }
  // A name left out by setting it to undefined is left out.
  const given = Object.fromEntries(Object.entries(copy).filter(([, value]) => value !== undefined))
  return { call: readCall(given), bytes, ...long }
}

async function validated(core: GateContext, read: Read, schema: Json): Promise<Read> {
  const { call, policy } = read
  const answer = await core.validate?.(schema, call.args)
  if (!answer?.ok) {
    const { masked } = shownArguments(policy, call, { schema })
    const problem = answer?.problem ?? 'the arguments do not fit'
    // The validator may quote what it checked.
    throw new CountersignError('invalid_call', maskText(problem, hiddenTexts(call.args, masked)))
  }
  const bytes = snapshot(answer.args ?? call.args, policy.owner.limits)
  return { ...read, call: { ...call, args: bytes.args }, bytes }
}

/** Whatever is wrong with a call, or with the one who checks it: it does not run. */
function invalid({ tool }: Call, error: unknown): Blocked {
  const known = isCountersignError(error)
  const reason = known ? error.message : 'its arguments could not be checked'
  return blocked(known ? error.code : 'invalid_call', {
    tool: String(tool),
    reason,
    as: 'invalid',
  })
}

/** Under `denyAll` the model reads one fixed text; every other denial gives its reason. */
export function deniedBy(message: string, mode: Mode | SettledMode, tool: string): Blocked {
  return mode.kind === 'denyAll'
    ? blocked('denied_by_mode', { tool })
    : blocked('denied_by_policy', { tool, reason: message })
}

/** Throws when the locks cannot be read. */
export async function barredBy(core: GateContext, call: Call): Promise<Barred | undefined> {
  const locks = await core.locks.current()
  const lock = locks.length === 0 ? undefined : lockOn(locks, lockable(call), core.locks.now())
  if (lock) return { code: 'locked', reason: lockedBecause(lock) }
  if (!core.authorize) return undefined
  try {
    return await core.authorize(call)
  } catch {
    return { code: 'locked', reason: 'whether it is held back could not be found out' }
  }
}
