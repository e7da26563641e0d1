import type { Approval } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import type { Call } from '../../base/call.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Filter, Store } from '../../store/store.ts'
import { viewNow } from '../content/arguments.ts'
import { boundDefinition, maskingSchema } from '../content/binding.ts'
import { type Question, questionOf } from '../content/stored-content.ts'
import { callAgain } from '../identity.ts'

/** A call that was asked about, as people see it. */
export interface RecordedCall {
  readonly approval: Approval
  /** With the arguments the agent sent, secrets replaced. */
  readonly call: Call
  /** Paths of what is hidden; nothing can be learnt of it by trying rules on the call. */
  readonly masked: readonly (readonly string[])[]
}

interface Reading {
  readonly store: Store
  /** Says what is hidden: the one in force, whatever is tried. */
  readonly policy: Policy
}

/** Agents choose how long arguments are, up to a megabyte: where many are read, these are left out. */
export const LONGEST_OF_MANY = 32_768
const AT_ONCE = 50

/** The newest approvals that fit, without those whose arguments are no longer kept, or very long. */
export async function recordedCalls(
  reading: Reading,
  filter: Filter,
  limit: number,
): Promise<RecordedCall[]> {
  const { approvals } = await reading.store.list(filter, { order: 'newest', limit })
  return recordedOf(reading, approvals, LONGEST_OF_MANY)
}

export async function recordedOf(
  { store, policy }: Reading,
  approvals: readonly Approval[],
  longest = Number.POSITIVE_INFINITY,
): Promise<RecordedCall[]> {
  const found: RecordedCall[] = []
  // A few at once: their contents together may be larger than the memory.
  for (let at = 0; at < approvals.length; at += AT_ONCE) {
    const some = approvals.slice(at, at + AT_ONCE)
    const ids = some.map(({ id }) => id)
    const contents = await store.contentOf(ids, ['arguments', 'question', 'definition'])
    const read = some.map((approval) => {
      const content = contents.get(approval.id) ?? []
      return isLonger(content, longest) ? undefined : recordedCall(policy, approval, content)
    })
    found.push(...(await Promise.all(read)).flatMap((one) => one ?? []))
  }
  return found
}

function isLonger(content: readonly Content[], longest: number): boolean {
  return content.some(
    ({ kind, value }) =>
      kind === 'arguments' && typeof value === 'string' && value.length > longest,
  )
}

/** Undefined where the arguments are no longer kept. */
export async function recordedCall(
  policy: Policy,
  approval: Approval,
  content: readonly Content[],
): Promise<RecordedCall | undefined> {
  const asked = content.find(({ kind }) => kind === 'arguments')?.value
  if (typeof asked !== 'string') return undefined
  const first = questionOf(content.filter(({ kind }) => kind === 'question').slice(0, 1))
  const made = callAgain(approval.call, freshParse(asked) as JsonObject, shownParent(first))
  const schema = maskingSchema(await boundDefinition(approval.call, content))
  const { value, masked } = viewNow({ policy, schema, call: made, view: first?.view })
  return { approval, call: { ...made, args: value }, masked }
}

/** The delegating agent's input is kept as it was; people see it masked. */
function shownParent(question: Question | undefined): JsonObject | undefined {
  return question?.parentInput && mask(question.parentInput).value
}
