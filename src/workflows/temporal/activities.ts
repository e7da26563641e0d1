import { ApplicationFailure, Context } from '@temporalio/activity'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { runName } from '../engine.ts'
import {
  isAway,
  type Look,
  type Looking,
  lookAndRun,
  lookAt,
  type Ran,
  runNow,
  type WorkflowGate,
  withdrawQuestion,
} from '../gates.ts'
import { partsOf, type StepParts, type StepTool } from '../guard-step.ts'
import type { Question } from '../question.ts'
import { spend } from '../spend.ts'
import { type Activities, NAME, REFUSED, type Sent } from './protocol.ts'

/** The tools of `guardStep`, under whatever keys: each goes by its own name. */
export type StepTools = { readonly [key: string]: StepTool<never> }

/** An error that is none of ours may pass, such as a full disk; after this many it ends the workflow. */
const MOST_ERRORS = 5
/** Heartbeats within one timeout. */
const BEATS = 4

/**
 * The gate as activities of a worker: workflow code reaches it through them only. Register them
 * beside your own.
 */
export function countersignActivities(
  gate: WorkflowGate,
  tools: StepTools = {},
): Activities<Look, Ran> {
  const steps = new Map<string, StepParts>()
  for (const tool of Object.values(tools)) {
    if (steps.has(tool.name)) {
      throw new CountersignError('usage', `two tools have the name ${tool.name}`, {
        hint: 'Give each tool a name of its own: policies and people know it by that.',
      })
    }
    steps.set(tool.name, partsOf(tool))
  }

  /** The call, with what this worker says of it. */
  function received(sent: Sent, looking?: Looking): [Question, Looking] {
    const { kind, call } = sent
    checkPlace(call)
    const step = steps.get(call.tool)
    const given = looking ?? { n: 0, looks: [] }
    if (kind === 'step') {
      // A worker of another version may know it: as for unknown activities, Temporal tries again.
      if (!step) {
        const message = `no tool ${call.tool} is registered with countersignActivities`
        throw ApplicationFailure.retryable(message, 'NotFoundError')
      }
      return [step.question({ label: '', call }), { ...given, looks: step.looks }]
    }
    // Or a question with terms of its own could be asked in place of the tool's.
    if (step) {
      throw new CountersignError('usage', `${call.tool} is the name of a tool`, {
        hint: 'Give the question another name, or call the tool by guardStep.',
      })
    }
    return [{ label: '', call, declared: sent.declared, definition: undefined, tool: spend }, given]
  }

  return {
    countersignAsk: (sent, looking) =>
      attempt(() => {
        // A tool runs in an activity of its own, which has more time and a heartbeat.
        const look = sent.kind === 'question' ? lookAndRun : lookAt
        return look(gate, ...received(sent, looking))
      }),
    countersignRun: (sent, looking) =>
      attempt(() => beating(() => runNow(gate, ...received(sent, looking)))),
    countersignWithdraw: (sent) => attempt(() => withdrawQuestion(gate, received(sent)[0])),
  }
}

/** A workflow asks for itself: no activity runs, or withdraws, what another one was allowed. */
function checkPlace({ run }: Question['call']): void {
  const { workflowExecution } = Context.current().info
  const own = workflowExecution && `${runName(NAME, workflowExecution.workflowId)}/`
  if (own !== undefined && run?.startsWith(own)) return
  throw new CountersignError('usage', 'this activity belongs to the functions for workflows', {
    hint: 'Call waitForApproval, requireApproval or guardStep in a workflow.',
  })
}

/** Temporal tries again what fails. A refusal of ours is the same the next time. */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isCountersignError(error) && !isAway(error)) {
      const { message, code, hint } = error
      throw ApplicationFailure.nonRetryable(message, REFUSED, {
        code,
        ...(hint === undefined ? {} : { hint }),
      })
    }
    const isLast = Context.current().info.attempt >= MOST_ERRORS
    if (!isLast || isAway(error) || error instanceof ApplicationFailure) throw error
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    throw ApplicationFailure.nonRetryable(message, name)
  }
}

/** A worker that dies is noticed by its silence: long before the tool would be out of time. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const { heartbeatTimeoutMs } = context.info
  if (!heartbeatTimeoutMs) return work()
  const beat = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / BEATS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
