import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { verdictWord } from '../../policy/evaluate/evaluate.ts'
import type { CustomAnswer, Mode, SettledMode } from '../../policy/evaluate/mode.ts'
import { LEVELS } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { ApprovalPredicate } from '../declared/declarations.ts'

/** How long a predicate may take before its silence counts as "ask". */
const PATIENCE = 1_000

/** Run the predicate of a custom mode. Whatever goes wrong with it, the answer is to ask. */
export async function settleMode(mode: Mode, policy: Policy, call: Call): Promise<SettledMode> {
  if (mode.kind !== 'custom') return mode
  const { tool, args, agent, principal } = call
  const declared = verdictWord(policy, call)
  let isOld = false
  const answer = await answerInTime(async () => {
    const said: unknown = await mode.decide({ tool, args, agent, principal, declared })
    isOld = said === 'approve'
    return said
  })
  // Other unknown answers ask as declared. The old word asked for other people, which may be more.
  if (isOld) throw oldVerdict()
  return { kind: 'answered', answer }
}

function oldVerdict(): CountersignError {
  return new CountersignError(
    'mode_refused',
    'the function of custom() answered approve, which is no verdict any more',
    { hint: "Answer 'review': the verdict approve was renamed." },
  )
}

/** Whether every function that code declared says that no approval is needed. */
export async function allRelease(
  predicates: readonly ApprovalPredicate[],
  args: JsonObject,
): Promise<boolean> {
  const answers = await Promise.all(predicates.map((one) => answerInTime(() => one(args))))
  return answers.every((answer) => answer === false)
}

/** Throwing, rejecting, taking too long or answering something else all mean `true`: ask. */
export async function answerInTime(ask: () => unknown): Promise<CustomAnswer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), PATIENCE)
  })
  try {
    const answer = await Promise.race([(async () => ask())(), silence])
    return isAnswer(answer) ? answer : true
  } catch {
    return true
  } finally {
    clearTimeout(timer)
  }
}

function isAnswer(value: unknown): value is CustomAnswer {
  return typeof value === 'boolean' || (typeof value === 'string' && Object.hasOwn(LEVELS, value))
}
