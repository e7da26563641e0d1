import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Gate } from '../../gate/gate.ts'
import { internals } from '../../gate/internals.ts'
import type { LeasedClaim } from '../../gate/pipeline/lease.ts'
import { outcomeOf } from '../../gate/pipeline/replay.ts'
import { sentence } from '../../gate/sentences.ts'
import type { Store } from '../../store/store.ts'
import { codingAgent } from '../coding-agents/agents.ts'
import { nameByArguments } from '../coding-agents/reading.ts'
import type { HookInput } from './hook-input.ts'
import { allowed, approvedSentence, denied, editNotTaken, type HookOutput } from './hook-output.ts'

export interface Hooked {
  /** For the agent and the person it works for. */
  readonly gate: Gate
  readonly store: Store
  /** How long to wait for a person, in milliseconds. */
  readonly waitFor: number
  /** The question that was waited for before, where waiting goes on. */
  readonly waited?: string | undefined
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined
  /** Told when a person has to decide. */
  readonly onPending?: ((approval: Approval) => void) | undefined
}

// The longest there is. It cannot be renewed: the hook is over while the tool runs.
const LEASE = 300_000
const CLAIMS = 'hook claim'
const CLAIM_KEPT = 86_400_000

/** What the hook says, or the question that was not answered in time. */
export type BeforeTool = { readonly output: HookOutput } | { readonly pending: Approval }

/** Before a call: whether it may run. The agent runs it, so it is claimed here and finished after. */
export async function beforeTool(input: HookInput, hooked: Hooked): Promise<BeforeTool> {
  const { tool, server, args, session } = input
  const call = { tool, ...(server === undefined ? {} : { server }), args, run: session }
  const until = AbortSignal.any([
    AbortSignal.timeout(hooked.waitFor),
    ...(hooked.signal ? [hooked.signal] : []),
  ])
  let asked = hooked.waited
  // A no to the question that was waited for is told as one just given, whenever it is noticed.
  const refused = async () => (asked === undefined ? undefined : refusedNow(hooked, asked))
  for (;;) {
    const no = await refused()
    if (no !== undefined) return { output: denied(no) }
    const checked = await hooked.gate.check(call, { join: 'digest' })
    switch (checked.status) {
      case 'allowed':
        return { output: undefined }
      case 'blocked':
        return { output: denied((await refused()) ?? checked.modelMessage) }
      case 'approved':
        // Claiming spends a yes, and no process is left that would run the call.
        if (hooked.signal?.aborted) return { pending: checked.approval }
        return { output: await claimed(input, checked.approval, hooked) }
      case 'pending': {
        const { approval } = checked
        const since = await refused()
        if (since !== undefined) return { output: denied(since) }
        if (until.aborted) return { pending: approval }
        if (asked === undefined) hooked.onPending?.(approval)
        asked = approval.id
        await untilChanged(hooked.store, approval, until)
      }
    }
  }
}

async function untilChanged(store: Store, approval: Approval, until: AbortSignal): Promise<void> {
  try {
    await store.waitFor(approval.id, approval.revision, until)
  } catch (error) {
    if (!until.aborted) throw error
  }
}

/** What became of the question that was waited for. Asking again would tell a no as an older one. */
async function refusedNow({ store }: Hooked, id: string): Promise<string | undefined> {
  const now = await store.get(id)
  if (!now || now.status === 'pending' || now.status === 'approved') return undefined
  return (await outcomeOf({ store }, now)).modelMessage
}

async function claimed(
  input: HookInput,
  { id, askedDigest }: Approval,
  { gate, store }: Hooked,
): Promise<HookOutput> {
  let claim: LeasedClaim
  try {
    claim = await gate[internals].claim(id, askedDigest, { lease: LEASE })
  } catch (error) {
    if (!isCountersignError(error)) throw error
    const { tool } = input
    if (error.code === 'already_claimed') return denied(sentence('running_elsewhere', { tool, id }))
    return denied(sentence('refused', { tool, reason: error.message }))
  }
  const { title, takesEdit } = codingAgent(input.agent)
  if (claim.edited !== undefined && !takesEdit(input, claim.args)) {
    // It would run the call as it was asked for, which no person approved.
    await gate[internals].finish({ id, claim: claim.claim, outcome: 'failed' })
    return denied(editNotTaken(input.tool, title, claim.args))
  }
  const kept = { approval: id, claim: claim.claim }
  const expiresAt = (await store.now()) + CLAIM_KEPT
  await store.records.put(CLAIMS, nameOf(input, ranAs(input, claim.args)), kept, { expiresAt })
  return allowed(approvedSentence(claim.edited !== undefined, id), claim.args)
}

/** After a call: how it went is written down. Without this its outcome stays unknown. */
export async function afterTool(input: HookInput, { gate, store }: Hooked): Promise<void> {
  const record = await store.records.remove(CLAIMS, nameOf(input, input.attempt))
  // Most calls need no yes and leave nothing to finish.
  if (!record || !isPlainObject(record.value)) return
  const { approval, claim } = record.value
  if (typeof approval !== 'string' || typeof claim !== 'string') return
  const outcome = input.event === 'PostToolUse' ? 'succeeded' : 'failed'
  await gate[internals].finish({ id: approval, claim, outcome })
}

function nameOf({ session }: HookInput, call: string): string {
  return `${session.slice(0, 120)} ${call.slice(0, 120)}`
}

/** How the call is named once it ran: by its arguments where it has no id, and people may change those. */
function ranAs(input: HookInput, args: JsonObject): string {
  return codingAgent(input.agent).namesCalls ? input.attempt : nameByArguments(input, args)
}
