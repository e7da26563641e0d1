import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import type { Gate } from '../../gate/gate.ts'
import type { LeasedClaim } from '../../gate/lease.ts'
import { outcomeOf } from '../../gate/replay.ts'
import { sentence } from '../../gate/sentences.ts'
import type { Store } from '../../store/store.ts'
import type { HookInput } from './hook-input.ts'
import { allowed, approvedSentence, denied, type HookOutput } from './hook-output.ts'
import { type OwnFiles, touchesOwnFiles } from './own-files.ts'

export interface Hooked {
  /** For the agent and the person it works for. */
  readonly gate: Gate
  readonly store: Store
  readonly own: OwnFiles
  /** How long Claude Code is kept waiting, in milliseconds. Must end before its own patience does. */
  readonly waitFor: number
  /** Told when somebody has to decide. */
  readonly onPending: (approval: Approval) => void
}

// The longest there is. Nobody can renew it: the hook is over while the tool runs.
const LEASE = 300_000
const CLAIMS = 'hook claim'
const CLAIM_KEPT = 86_400_000

/** Before a call: whether it may run. Claude Code runs it, so it is claimed here and finished after. */
export async function beforeTool(input: HookInput, hooked: Hooked): Promise<HookOutput> {
  const { tool, server, args, session } = input
  const why = touchesOwnFiles(input, hooked.own)
  if (why !== undefined) return denied(sentence('policy', { tool, reason: why }))
  const call = { tool, ...(server === undefined ? {} : { server }), args, run: session }
  const until = AbortSignal.timeout(hooked.waitFor)
  let isAnnounced = false
  for (;;) {
    const checked = await hooked.gate.check(call, { join: 'digest' })
    switch (checked.status) {
      case 'allow':
        return undefined
      case 'deny':
        return denied(checked.message)
      case 'approved':
        return claimed(input, checked.approval, hooked)
      case 'pending': {
        const { approval } = checked
        if (until.aborted) return denied(laterSentence(approval))
        if (!isAnnounced) hooked.onPending(approval)
        isAnnounced = true
        await untilChanged(hooked.store, approval, until)
        const no = await refusedNow(hooked.store, approval.id)
        if (no !== undefined) return denied(no)
      }
    }
  }
}

/** The same call joins the question that waits, so trying again later is right here. */
function laterSentence({ id, call: { tool } }: Approval): string {
  return `The call to ${tool} still waits for a person to approve it (approval ${id}) and has not run. Tell the user so and stop; when it was approved, the same call goes through.`
}

async function untilChanged(store: Store, approval: Approval, until: AbortSignal): Promise<void> {
  try {
    await store.waitFor(approval.id, approval.revision, until)
  } catch (error) {
    if (!until.aborted) throw error
  }
}

/** What became of the question that was waited for. Asking again would tell a no as an older one. */
async function refusedNow(store: Store, id: string): Promise<string | undefined> {
  const now = await store.get(id)
  if (!now || now.status === 'pending' || now.status === 'approved') return undefined
  return (await outcomeOf({ store }, now)).message
}

async function claimed(
  input: HookInput,
  { id, askedDigest }: Approval,
  { gate, store }: Hooked,
): Promise<HookOutput> {
  let claim: LeasedClaim
  try {
    claim = await gate.claim(id, askedDigest, { lease: LEASE })
  } catch (error) {
    if (!isCountersignError(error)) throw error
    const { tool } = input
    if (error.code === 'already_claimed') return denied(sentence('running_elsewhere', { tool, id }))
    return denied(sentence('refused', { tool, reason: error.message }))
  }
  const kept = { approval: id, claim: claim.claim }
  const expiresAt = (await store.now()) + CLAIM_KEPT
  await store.records.put(CLAIMS, nameOf(input), kept, { expiresAt })
  return allowed(approvedSentence(claim.edited !== undefined, id), claim.args)
}

/** After a call: how it went is written down. Without this its outcome stays unknown. */
export async function afterTool(input: HookInput, { gate, store }: Hooked): Promise<void> {
  const record = await store.records.remove(CLAIMS, nameOf(input))
  // Most calls need nobody's yes and leave nothing to finish.
  if (!record || !isPlainObject(record.value)) return
  const { approval, claim } = record.value
  if (typeof approval !== 'string' || typeof claim !== 'string') return
  const outcome = input.event === 'PostToolUse' ? 'succeeded' : 'failed'
  await gate.finish({ id: approval, claim, outcome })
}

function nameOf({ session, attempt }: HookInput): string {
  return `${session.slice(0, 120)} ${attempt.slice(0, 120)}`
}
