import { isPlainObject } from '../base/json/json.ts'

const LONGEST = 200
const MOST_STEPS = 50

/** What is wrong with `context.workflow`, and what is right. People read it, so it stays short. */
export function workflowProblem(
  workflow: unknown,
): readonly [what: string, right: string] | undefined {
  if (!isPlainObject(workflow) || !isShort(workflow.name)) {
    return ['context.workflow has no name', 'use {"name":"…","step":"…","done":[…],"next":[…]}']
  }
  const { name: _, step, done = [], next = [], ...rest } = workflow
  const [extra] = Object.keys(rest)
  if (extra !== undefined) {
    return [`context.workflow.${extra} is unknown`, 'it knows name, step, done and next']
  }
  if (step !== undefined && !isShort(step)) return ['context.workflow.step is not a name', RIGHT]
  for (const [key, steps] of Object.entries({ done, next })) {
    if (!Array.isArray(steps) || steps.length > MOST_STEPS || !steps.every(isShort)) {
      return [`context.workflow.${key} is not a list of steps`, `at most ${MOST_STEPS}, ${RIGHT}`]
    }
  }
  return undefined
}

const RIGHT = `each of 1 to ${LONGEST} characters`

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= LONGEST
}
