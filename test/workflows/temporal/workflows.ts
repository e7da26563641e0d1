/** The workflows of the cases, as Temporal runs them: in its sandbox. */
import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow'
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

const { write } = proxyActivities<CaseActivities>({ startToCloseTimeout: '1m' })
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
export const patient = run('patient')
export const release = run('release')
export const frozen = run('frozen')
const breaksBody = run('breaks')

export { breaksBody as breaks }
export const whole = run('whole')

/** Asks the same in each of three runs of one chain. */
export async function chained({ statuses = [] }: { statuses?: string[] }): Promise<string[]> {
  const { status } = await waitForApproval({ name: 'again', args: { same: true } })
  const all = [...statuses, status]
  return all.length === 3 ? all : continueAsNew<typeof chained>({ statuses: all })
}

/** A tool that takes longer than its worker may be silent. */
export function lasting(input: JsonObject): Promise<Json> {
  return guardStep<CaseTool>('last', { heartbeatTimeout: '1s' })(input)
}

/** A question that has the name of a tool, and terms of its own. */
export async function misnamed(): Promise<string> {
  const { status } = await waitForApproval({ name: 'pay', approvers: ['*'] })
  return status
}

/** Workflow code that goes past the functions for workflows. */
export async function impostor({ run }: { run: string }): Promise<unknown> {
  const { countersignRun } = proxyActivities<{
    countersignRun(sent: object, looking: object): Promise<unknown>
  }>({ startToCloseTimeout: '5s' })
  const call = { tool: 'pay', args: { id: 'theft', amount: 1 }, run, key: 'pay' }
  return countersignRun({ kind: 'step', call }, { n: 0, looks: [] })
}

/** What `requireApproval` throws. */
export async function caught(): Promise<Json> {
  try {
    await requireApproval({ name: 'strict' })
    return 'approved'
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error
    const { type = null, nonRetryable = null, details } = error
    return { type, nonRetryable, details: (details ?? null) as Json }
  }
}

/** Waits no longer than it wants to, whatever the question says. */
export async function limited(): Promise<string> {
  try {
    return await CancellationScope.withTimeout('1s', async () => {
      const { status } = await waitForApproval({ name: 'limited' })
      return status
    })
  } catch (error) {
    if (isCancellation(error)) return 'gave up'
    throw error
  }
}

/** A duration that is none: the workflow fails, it is not tried for ever. */
export async function mistaken(): Promise<string> {
  const { status } = await waitForApproval({ name: 'mistaken', looks: ['soon'] })
  return status
}

/** Looks often. */
export async function lapsing(): Promise<string> {
  const { status } = await waitForApproval({ name: 'lapsing', timeout: '1 hour', looks: ['2s'] })
  return status
}
