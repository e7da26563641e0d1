/** The workflows of the cases, as Temporal runs them: in its sandbox. */
import { proxyActivities } from '@temporalio/workflow'
import type { Json, JsonObject } from '../../../src/base/json/json.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
} from '../../../src/workflows/temporal/workflow.ts'
import { bodies, type Doing } from '../bodies.ts'
import type { CaseActivities } from './activities.ts'

interface CaseTool {
  run(args: JsonObject): Json
}

const { write } = proxyActivities<CaseActivities>({ startToCloseTimeout: '5s' })
const pay = guardStep<CaseTool>('pay')
const breaks = guardStep<CaseTool>('break')

/** A body's steps only write: what they would write is what the activity of each step writes. */
const lines: string[] = []
const BODIES = bodies({ write: (line) => lines.push(line) })

function run(name: string) {
  return (input: JsonObject): Promise<Json> => {
    const body = BODIES[name]
    if (!body) throw new Error(`there is no workflow ${name}`)
    const doing: Doing = {
      input,
      async step(_, work) {
        const result = await work()
        await write(lines.splice(0))
        return result
      },
      waitForApproval,
      requireApproval,
      pay,
      break: (args) => breaks(args),
      both: ([one, other]) => Promise.all([one(), other()]),
    }
    return body(doing)
  }
}

export const expense = run('expense')
export const required = run('required')
const payBody = run('pay')

export { payBody as pay }
export const twice = run('twice')
export const loop = run('loop')
export const branches = run('branches')
export const unwoken = run('unwoken')
export const slow = run('slow')
export const frozen = run('frozen')
const breaksBody = run('breaks')

export { breaksBody as breaks }
export const whole = run('whole')
