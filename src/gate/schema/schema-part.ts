import type { Json } from '../../base/json/json.ts'
import type { Run } from './schema-run.ts'

/** One part of a schema: everything it says about a value, in the order it is looked at. */
export interface Part {
  tests: Test[]
  /** It asks what the rest of this very part has not spoken about. */
  asksUnseen: boolean
}

export type Test = (value: Json, run: Run) => boolean

export function holds(part: Part, value: Json, run: Run): boolean {
  run.enter(part.tests.length)
  const outer = run.seen
  if (outer && part.asksUnseen) run.freshSeen()
  const { tests } = part
  let ok = true
  // A loop and not every(): this is what all the time is spent in.
  for (let index = 0; ok && index < tests.length; index++) {
    ok = (tests[index] as Test)(value, run)
  }
  if (outer && part.asksUnseen) {
    if (ok && run.seen) run.merge(outer, run.seen)
    run.seen = outer
  }
  run.leave()
  return ok
}

/** Whether it holds, without leaving anything behind if it does not. */
export function applies(part: Part, value: Json, run: Run): boolean {
  const { fills, problem, seen } = run
  run.fills = false
  const inner = seen && run.freshSeen()
  const ok = holds(part, value, run)
  run.fills = fills
  run.seen = seen
  if (ok) run.problem = problem
  if (ok && seen && inner) run.merge(seen, inner)
  return ok
}

export function partOf(allowed: boolean): Part {
  const never: Test = (_, run) => run.fail('are not allowed here')
  return { tests: allowed ? [] : [never], asksUnseen: false }
}
