import type { Approval } from '../../approval/approval.ts'
import type { Call } from '../../base/call.ts'
import { type ErrorCode, isCountersignError } from '../../base/errors.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import { isStoreFailure } from '../background/background.ts'
import { contain } from '../background/contain.ts'
import { digestDefinition } from '../content/digests.ts'
import { freshArgs } from '../content/snapshot.ts'
import type { GateContext } from '../context.ts'
import type { CallDeclaration } from '../declared/declarations.ts'
import { type CallerIdentity, ownerName } from '../identity.ts'
import { milliseconds } from '../options.ts'
import { blocked, type Outcome, pending, unknown } from '../outcome.ts'
import { isCountersigned } from '../proof/countersigned.ts'
import { tracedCall, tracedStep } from '../telemetry/traced-call.ts'
import type { NamedTool } from '../tool.ts'
import { settled, startAllowed } from './allowed.ts'
import { type Asked, ask, askedByOtherRules, ranBefore, refusedBy } from './ask.ts'
import { type Claimed, claim } from './claim.ts'
import { execute } from './execute.ts'
import { deniedBy, type Judged, judgeCall } from './judge.ts'
import { outcomeOf } from './replay.ts'
import { type Patience, patienceOf, type Waited, waitUntil } from './wait.ts'

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** How long this caller waits: `'2m'`, or milliseconds. Then the question is withdrawn. */
  readonly waitFor?: string | number | undefined
  /** `false`: do not wait. A question stays open; the same call made again finds its answer. */
  readonly wait?: false | undefined
  readonly key?: string | undefined
  readonly join?: 'digest' | undefined
  readonly batch?: string | undefined
  /** Proof from another gate that this call was approved there. What does not verify is ignored. */
  readonly countersignature?: string | undefined
  /** Aborted, the caller stops waiting for people and leaves the question open for a later call. */
  readonly detach?: AbortSignal | undefined
  /** Told once there is something to wait for. */
  readonly onPending?: ((approval: Approval) => void) | undefined
  /** What the code that makes this call says of it. It counts for this call, and for no other. */
  readonly declared?: CallDeclaration | undefined
}

/** Judge, ask, wait, claim, run. One way out for each thing that can go wrong, and none throws. */
export function runCall<R>(
  core: GateContext,
  caller: CallerIdentity,
  call: Call,
  tool: NamedTool<R>,
  options: RunOptions,
): Promise<Outcome<R>> {
  const { agent, run, key } = { ...caller, ...options, ...call }
  return tracedCall(core, { call: { ...call, agent, run, key } as Call }, () =>
    judgeAndRun(core, caller, call, tool, options),
  )
}

async function judgeAndRun<R>(
  core: GateContext,
  caller: CallerIdentity,
  call: Call,
  given: NamedTool<R>,
  options: RunOptions,
): Promise<Outcome<R>> {
  const { signal, key, declared } = options
  const tool = declared?.result === 'drop' ? { ...given, drop: true } : given
  const waitFor = milliseconds(options.waitFor)
  if (signal?.aborted) return blocked('withdrawn', { tool: tool.name })
  const definition = tool.definition ?? core.registry.definitionOf(caller, call)
  const judged = await judgeCall(core, caller, { call, key, definition, declared })
  if ('refused' in judged) {
    const before = await ranBefore(core, caller, judged, definition)
    return before
      ? ((await follow(core, before, patienceOf(signal, waitFor))) as Outcome<R>)
      : judged.refused
  }
  if (signal?.aborted) return blocked('withdrawn', { tool: tool.name })
  const { verdict } = judged
  if (verdict.verdict === 'allow') {
    const byFunction = declared?.byFunction === true
    const before = await askedByOtherRules(core, caller, judged, { definition, byFunction })
    if (!before) return runAllowed(judged, tool, signal)
    if ('status' in before) return before
    const patient = { ...options, waitFor: waitFor ?? core.waitFor }
    return waitAndRun(core, caller, { ...before, judged }, { ...tool, definition }, patient)
  }
  if (await isCountersigned(core, caller, judged, options.countersignature)) {
    return runAllowed(judged, tool, signal)
  }
  if (definition) {
    const { kind, server, tool: name } = judged.call
    core.registry.register(caller, { kind, server, tool: name, door: caller.door, definition })
  }
  const asking = { ...options, waitFor: waitFor ?? core.waitFor ?? verdict.terms.waitFor }
  return askAndRun(core, caller, { ...judged, verdict }, { ...tool, definition }, asking)
}

/** Allowed, but something was awaited on the way: so the tool gets the bytes that were judged. */
function runAllowed<R>(
  { bytes, call }: Pick<Judged, 'bytes' | 'call'>,
  tool: NamedTool<R>,
  signal: AbortSignal | undefined,
): Promise<Outcome<R>> {
  return settled(call.tool, startAllowed(tool, call, freshArgs(bytes), signal))
}

async function askAndRun<R>(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged & { readonly verdict: Asks },
  tool: NamedTool<R>,
  options: RunOptions & { readonly waitFor: number | undefined },
): Promise<Outcome<R>> {
  const { definition, looks } = tool
  const { join, batch } = options
  const asked = await ask(core, caller, judged, {
    definition,
    looks,
    join,
    batch,
    suspends: options.wait === false,
    claims: true,
  })
  if ('status' in asked) return asked
  return waitAndRun(core, caller, { ...asked, judged }, tool, options)
}

/** Waits for the answer to what was asked, and runs the call if it is yes. */
function waitAndRun<R>(
  core: GateContext,
  caller: CallerIdentity,
  { approval, digest, claimed, judged }: Asked & { readonly judged: Judged },
  tool: NamedTool<R>,
  options: RunOptions & { readonly waitFor: number | undefined },
): Promise<Outcome<R>> | Outcome<R> {
  const { signal, detach, onPending } = options
  if (claimed) {
    core.listeners.emit('decided', { approval })
    return core.waiting.during(approval.id, () => execute(core, claimed, tool, signal))
  }
  if (approval.status === 'pending') {
    contain(() => onPending?.(approval))
    if (options.wait === false) return pending(approval)
  }
  const patience = patienceOf(signal, options.waitFor)
  const agent = ownerName(judged.call.agent)
  return core.waiting.during(approval.id, async () => {
    let waited: Waited
    const isOpen = approval.status === 'pending'
    const quiet = isOpen ? core.announce({ id: approval.id, tool: judged.call.tool }) : () => {}
    try {
      waited = await tracedStep(core, 'countersign.wait', approval, () =>
        waitUntil(core, approval, isDecided, detachable(patience, detach)),
      )
      if (waited.stopped) {
        return detach?.aborted && !signal?.aborted
          ? pending(waited.approval)
          : await stopWaiting(core, waited.approval)
      }
    } catch (error) {
      return refusedBy(error, judged.call.tool, approval)
    } finally {
      quiet()
    }
    core.listeners.emit('decided', { approval: waited.approval })
    return useApproval(core, caller, { approval: waited.approval, digest, agent }, tool, patience)
  })
}

/** Only waiting for people can be left: once there is a yes, the call is under way. */
function detachable(patience: Patience, detach: AbortSignal | undefined): Patience {
  if (!detach) return patience
  const { signal } = patience
  return { ...patience, signal: signal ? AbortSignal.any([signal, detach]) : detach }
}

function isDecided({ status }: Approval): boolean {
  return status !== 'pending'
}

function isSettled({ execution }: Approval): boolean {
  return execution?.state !== 'running'
}

/** The caller is gone. A later approval would run something that no caller here waits for. */
async function stopWaiting(core: GateContext, approval: Approval): Promise<Outcome<never>> {
  const { id, call } = approval
  if (!core.waiting.isAlone(id)) return pending(approval)
  const withdraw = () =>
    core.store.apply(id, {
      type: 'withdraw',
      commandId: crypto.randomUUID(),
      by: { agent: call.agent },
    })
  try {
    const { approval: now } = await withdraw()
    core.listeners.emit('decided', { approval: now })
    return blocked('withdrawn', { tool: call.tool, approval: now })
  } catch (error) {
    if (isStoreFailure(error)) {
      void core.background.persist(withdraw)
      return blocked('withdrawn', { tool: call.tool, approval, as: 'unavailable' })
    }
    // Another command was faster: its outcome is the truth.
    return (await outcomeOf(core, (await core.store.get(id)) ?? approval)) as Outcome<never>
  }
}

export interface Use {
  readonly approval: Approval
  readonly digest: string
  readonly agent: string
}

/** Spends a yes and runs its call; for anything else, tells what became of it. */
export async function useApproval<R>(
  core: GateContext,
  caller: CallerIdentity,
  { approval, digest, agent }: Use,
  tool: NamedTool<R>,
  patience: Patience,
): Promise<Outcome<R>> {
  const { signal } = patience
  let claimed: Claimed
  try {
    if (approval.execution) return (await follow(core, approval, patience)) as Outcome<R>
    if (approval.status !== 'approved') return (await outcomeOf(core, approval)) as Outcome<R>
    if (signal?.aborted) return await stopWaiting(core, approval)
    await core.probe('answer.known', approval)
    const { definitionNow = async () => tool.definition } = tool
    const definition = await digestDefinition(await definitionNow())
    claimed = await tracedStep(core, 'countersign.claim', approval, () =>
      claim(core, caller, { approval, digest, agent, definition }),
    )
  } catch (error) {
    return (await notClaimed(core, caller, approval, error, patience)) as Outcome<R>
  }
  // Outside of the try: once this began, it can no longer be said that the call did not run.
  return execute(core, claimed, tool, signal)
}

async function notClaimed(
  core: GateContext,
  { mode }: CallerIdentity,
  approval: Approval,
  error: unknown,
  patience: Patience,
): Promise<Outcome> {
  const { id, call } = approval
  if (isCountersignError(error) && HELD_BACK.includes(error.code)) {
    // Another caller may have started it before that: then how it ended is the truth.
    const now = await core.store.get(id).catch(() => undefined)
    if (now?.execution) return follow(core, now, patience)
  }
  if (isCountersignError(error, 'denied_by_policy')) return deniedBy(error.message, mode, call.tool)
  for (const code of ['locked', 'quarantined'] as const) {
    if (!isCountersignError(error, code)) continue
    return blocked(code, { tool: call.tool, reason: error.message, approval })
  }
  if (!isCountersignError(error) || !ENDED.includes(error.code)) {
    return refusedBy(error, call.tool, approval)
  }
  try {
    const now = (await core.store.get(id)) ?? approval
    return now.execution ? await follow(core, now, patience) : await outcomeOf(core, now)
  } catch (failure) {
    return error.code === 'already_claimed'
      ? unknown('already_claimed', approval)
      : refusedBy(failure, call.tool, approval)
  }
}

/** Blocked before the store was asked to spend it. */
const HELD_BACK: readonly ErrorCode[] = ['denied_by_policy', 'locked', 'quarantined']

const ENDED: readonly ErrorCode[] = [
  'already_claimed',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
]

/** Someone else runs this very call, or has run it: wait for their result instead of a second run. */
async function follow(core: GateContext, approval: Approval, patience: Patience): Promise<Outcome> {
  try {
    const waited = await waitUntil(core, approval, isSettled, patience)
    return await outcomeOf(core, waited.approval)
  } catch {
    return unknown('already_claimed', approval)
  }
}
