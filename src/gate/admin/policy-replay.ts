import type { Approval } from '../../approval/approval.ts'
import type { Call } from '../../base/call.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import { LEVELS, type Verdict } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { RuleSubject } from '../../policy/rules/rule-wish.ts'
import type { Store } from '../../store/store.ts'
import { withCode } from '../declared/declarations.ts'
import { notedTool } from '../tools/tool-notes.ts'
import { inTurns } from './in-turns.ts'
import { type RecordedCall, recordedCalls } from './recorded-calls.ts'

/** The newest calls that are looked at, of the rule's own tool and of all others. */
const MOST = 300
const EXAMPLES = 5

export type Change = 'same' | 'stricter' | 'looser' | 'other'

/** What another policy would have said of recorded calls. */
export interface ReplayedPolicy {
  readonly calls: number
  readonly same: number
  readonly stricter: number
  readonly looser: number
  /** The same verdict, by other people or on other terms. */
  readonly other: number
  /** Of what would be looser: denied by people, or edited before they agreed. */
  readonly refused: number
  /** Calls with hidden values: rules saw them masked. */
  readonly hidden: number
  readonly examples: readonly ReplayedCall[]
}

export interface ReplayedCall {
  readonly recorded: RecordedCall
  readonly change: Change
  readonly before: Verdict['verdict']
  readonly after: Verdict['verdict']
}

export interface Replaying {
  readonly store: Store
  /** In force. */
  readonly before: Policy
  readonly after: Policy
}

/**
 * The newest recorded calls under both policies. Arguments are judged as people see them: no rule
 * can be used to find out what is hidden.
 */
export async function replayPolicy(
  { store, before, after }: Replaying,
  { tool, server }: Pick<RuleSubject, 'tool' | 'server'>,
): Promise<ReplayedPolicy> {
  const reading = { store, policy: before }
  const named = { tool, ...(server === undefined ? {} : { server }) }
  const [own, all] = await Promise.all([
    recordedCalls(reading, named, MOST),
    recordedCalls(reading, {}, MOST),
  ])
  const once = new Map([...own, ...all].map((one) => [one.approval.id, one]))
  const under = judging(store, [before, after])
  const judged = await inTurns(once.values(), async (recorded): Promise<ReplayedCall[]> => {
    // Recorded is the higher of its rating then and of what it claimed. The next call need not claim
    // anything, so each policy rates it by itself.
    const { risk: _, ...call } = recorded.call
    const [was, is] = (await under(call)).map((policy) => evaluate(policy, call))
    if (!was || !is) return []
    return [{ recorded, change: changeOf(was, is), before: was.verdict, after: is.verdict }]
  })
  const replayed = judged.flat()
  const of = (change: Change) => replayed.filter((one) => one.change === change)
  const looser = of('looser')
  return {
    calls: replayed.length,
    same: of('same').length,
    stricter: of('stricter').length,
    looser: looser.length,
    other: of('other').length,
    refused: looser.filter(({ recorded }) => isRefused(recorded.approval)).length,
    hidden: replayed.filter(({ recorded }) => recorded.masked.length > 0).length,
    // What people said no to comes first: it is what a looser rule has to answer for.
    examples: [
      ...[...looser].sort((a, b) => rank(a) - rank(b)).slice(0, EXAMPLES),
      ...(['stricter', 'other', 'same'] as const).flatMap((one) => of(one).slice(0, EXAMPLES)),
    ],
  }
}

const rank = ({ recorded }: ReplayedCall) => (isRefused(recorded.approval) ? 0 : 1)

export function isRefused({ status, digest, askedDigest }: Approval): boolean {
  return status === 'denied' || digest !== askedDigest
}

/** Each policy with what code declares of the called tool, made once for each tool and agent. */
function judging(store: Store, policies: readonly Policy[]) {
  const known = new Map<string, Promise<readonly Policy[]>>()
  const made = async (call: Call) => {
    const noted = await notedTool(store, call, call.agent)
    return policies.map((policy) => withCode(policy, call, noted?.code).policy)
  }
  return (call: Call): Promise<readonly Policy[]> => {
    const key = JSON.stringify([call.kind, call.server, call.tool, call.agent])
    const found = known.get(key) ?? made(call)
    known.set(key, found)
    return found
  }
}

export function changeOf(before: Verdict, after: Verdict): Change {
  const [was, is] = [LEVELS[before.verdict], LEVELS[after.verdict]]
  if (was !== is) return is > was ? 'stricter' : 'looser'
  return JSON.stringify(demandsOf(before)) === JSON.stringify(demandsOf(after)) ? 'same' : 'other'
}

/** Who and on what terms, without the names of the rules. */
function demandsOf(verdict: Verdict): unknown {
  if (!('terms' in verdict)) return verdict.message
  const people = verdict.requirements.map(({ level, approvers, quorum, escalate }) => ({
    ...{ level, approvers, quorum, escalate },
  }))
  return [people, verdict.terms, verdict.rememberNo ?? null, verdict.leavesUseBy ?? null]
}
