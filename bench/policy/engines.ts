import type { Call } from '../../src/base/call.ts'
import { evaluate, verdictWord } from '../../src/policy/evaluate/evaluate.ts'
import { judge } from '../../src/policy/evaluate/judge.ts'
import { ANNOTATED } from '../../src/policy/evaluate/mode.ts'
import { LEVELS } from '../../src/policy/evaluate/verdict.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { type Loaded, loadGovernance, loadOwner } from '../../src/policy/load/load.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { jsonLogic } from './json-logic.ts'
import type { HandWritten, Work } from './work.ts'

/** A way to decide: for one call, to check its answers, and for many in a loop of its own. */
export interface Engine {
  readonly name: string
  readonly decide: (call: Call) => number
  readonly loop: (calls: readonly Call[]) => number
}

export const HAND = 'hand-written closure'
export const JSON_LOGIC = 'json-logic-engine, compiled'
export const WORD = 'countersign verdictWord'
export const EVALUATE = 'countersign evaluate'

/** The policy as users have it: from files. */
export function loadWork({ owner, governance }: Work): Policy {
  return combinePolicy({
    owner: documentOf(loadOwner({ file: 'countersign.yaml', text: JSON.stringify(owner) })),
    governance: governance
      ? [documentOf(loadGovernance({ file: 'governance.yaml', text: JSON.stringify(governance) }))]
      : [],
  })
}

function documentOf(loaded: Loaded) {
  if (loaded.ok) return loaded.document
  throw new Error(loaded.mistakes.map(({ path, message }) => `${path}: ${message}`).join('\n'))
}

/** What `judge`, the readable evaluation, answers. */
export function expected(policy: Policy, calls: readonly Call[]): number[] {
  return calls.map((call) =>
    Math.max(0, ...judge(policy, call, ANNOTATED).looked.map(({ level }) => level)),
  )
}

/**
 * The loops are written out: a shared one would call every engine through one call site. They count,
 * because `for … of` allocates a step object for each call until the loop itself is optimized.
 */
export function enginesFor(work: Work, policy: Policy): Engine[] {
  const { hand } = work
  const rules = jsonLogic(work)
  const nothing: HandWritten = () => 0
  return [
    {
      name: HAND,
      decide: ({ tool, args }) => (hand.get(tool) ?? nothing)(args),
      loop: (calls) => {
        let sum = 0
        for (let at = 0; at < calls.length; at++) {
          const { tool, args } = calls[at] as Call
          sum += (hand.get(tool) ?? nothing)(args)
        }
        return sum
      },
    },
    {
      name: JSON_LOGIC,
      decide: ({ tool, args }) => (rules.get(tool) ?? nothing)(args),
      loop: (calls) => {
        let sum = 0
        for (let at = 0; at < calls.length; at++) {
          const { tool, args } = calls[at] as Call
          sum += (rules.get(tool) ?? nothing)(args)
        }
        return sum
      },
    },
    {
      name: WORD,
      decide: (call) => LEVELS[verdictWord(policy, call)],
      loop: (calls) => {
        let sum = 0
        for (let at = 0; at < calls.length; at++) {
          if (verdictWord(policy, calls[at] as Call) !== 'allow') sum++
        }
        return sum
      },
    },
    {
      name: EVALUATE,
      decide: (call) => LEVELS[evaluate(policy, call).verdict],
      loop: (calls) => {
        let sum = 0
        for (let at = 0; at < calls.length; at++) {
          if (evaluate(policy, calls[at] as Call).verdict !== 'allow') sum++
        }
        return sum
      },
    },
  ]
}
