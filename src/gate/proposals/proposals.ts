import { canonicalJson } from '../../base/json/canonical.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Policy } from '../../policy/policy.ts'
import { freeId } from '../../policy/rules/read-rule.ts'
import type { RuleSubject, RuleWish } from '../../policy/rules/rule-wish.ts'
import type { Store } from '../../store/store.ts'
import { inTurns } from '../admin/in-turns.ts'
import { LONGEST_OF_MANY, type RecordedCall, recordedOf } from '../admin/recorded-calls.ts'
import { type Evidence, evidenceOf, peopleIn } from './evidence.ts'
import { relaxing } from './relax.ts'
import { tightening } from './tighten.ts'

/** A change of the rules that recorded answers speak for. It is never made by itself. */
export type Proposal = Tighten | Relax

interface Evident {
  /** The same as long as it is about the same: what was dismissed stays so. */
  readonly id: string
  readonly subject: RuleSubject
  /** Recorded answers it rests on, the newest first. */
  readonly calls: readonly RecordedCall[]
  /** Recorded answers about this tool. */
  readonly of: number
  readonly people: number
}

/** Refuse what people never let run as asked. An admin accepts it as a rule. */
export interface Tighten extends Evident {
  readonly kind: 'tighten'
  readonly rule: RuleWish
  readonly denied: number
  readonly edited: number
}

/** A grant for one exact call. A person who may approve the call accepts it. */
export interface Relax extends Evident {
  readonly kind: 'relax'
  /** The approval the grant is made from. */
  readonly from: string
}

/** How far back answers count, and how many of them are read. */
export const PROPOSAL_DAYS = 30
const MOST_CALLS = 2_000
const PAGE = 500
const DAY = 86_400_000

export async function proposalsFor(store: Store, policy: Policy): Promise<Proposal[]> {
  const answers = await recordedAnswers(store, policy)
  const byTool = new Map<string, Evidence[]>()
  for (const one of answers) {
    const { kind, server, tool } = one.recorded.approval.call
    const key = JSON.stringify([kind, server ?? null, tool])
    byTool.set(key, [...(byTool.get(key) ?? []), one])
  }
  const found = await Promise.all([...byTool.values()].map((all) => proposalsOf(all, policy)))
  return found.flat()
}

async function proposalsOf(all: readonly Evidence[], policy: Policy): Promise<Proposal[]> {
  const [first] = all
  if (!first) return []
  const { kind, server, tool } = first.recorded.approval.call
  const subject: RuleSubject = { kind, tool, ...(server === undefined ? {} : { server }) }
  // What the rules deny by now is refused already: proposing it again would say nothing.
  const open = await inTurns(all, (one) => {
    const { answer, recorded } = one
    const isOpen = answer === 'approved' || evaluate(policy, recorded.call).verdict !== 'deny'
    return isOpen ? [one] : []
  })
  const tight = tightening(open.flat())
  const looser = relaxing(all, policy)
  return [
    ...(tight
      ? [
          {
            kind: 'tighten' as const,
            id: await idOf(['tighten', kind, server ?? null, tool, tight.path ?? null]),
            subject,
            ...evident(tight.refused, all),
            denied: tight.refused.filter(({ answer }) => answer === 'denied').length,
            edited: tight.refused.filter(({ answer }) => answer === 'edited').length,
            rule: {
              place: 'extra' as const,
              // A name of its own: under a taken one it would replace the rule that has it.
              id: freeId(policy.owner, subject, 'refuse'),
              verdict: 'deny' as const,
              when: tight.when,
              approvers: [],
              quorum: [],
              told: 'People refuse such calls.',
            },
          },
        ]
      : []),
    ...(await Promise.all(
      looser.map(async ({ newest, approved }) => {
        const { askedDigest, call, id } = newest.recorded.approval
        return {
          kind: 'relax' as const,
          id: await idOf(['relax', askedDigest, call.agent]),
          subject,
          ...evident(approved, all),
          from: id,
        }
      }),
    )),
  ]
}

function evident(on: readonly Evidence[], all: readonly Evidence[]) {
  return { calls: on.map(({ recorded }) => recorded), of: all.length, people: peopleIn(on) }
}

function idOf(parts: Json): Promise<string> {
  return sha256(canonicalJson(['countersign.proposal.v1', parts]))
}

/** The newest first. */
async function recordedAnswers(store: Store, policy: Policy): Promise<Evidence[]> {
  const since = (await store.now()) - PROPOSAL_DAYS * DAY
  const found: Evidence[] = []
  let after: string | undefined
  for (let looked = 0; looked < MOST_CALLS; ) {
    const page = {
      order: 'newest',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    } as const
    const { approvals, next } = await store.list({ since }, page)
    const recorded = await recordedOf({ store, policy }, approvals, LONGEST_OF_MANY)
    found.push(...recorded.flatMap((one) => evidenceOf(one) ?? []))
    looked += approvals.length
    if (next === undefined) break
    after = next
  }
  return found
}
