/**
 * `countersign/temporal/workflow`: Temporal workflows that wait for people. Runs inside Temporal's
 * sandbox, so nothing here, or in what it imports, reads a clock or reaches for anything.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import { isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { looksOf } from '../../base/looks.ts'
import { type Decision, NotApproved } from '../decision.ts'
import { approvedOnly, drive, driveDecision, type Operations, type Waits } from '../drive.ts'
import { type Engine, runName } from '../engine.ts'
import type { Look, Ran } from '../gates.ts'
import { type ApprovalRequest, askedOf, type StepOptions, stepCall } from '../question.ts'
import { resultOf, StepBlocked } from '../step-result.ts'
import { type Activities, NAME, REFUSED, type Sent, WAKE_UP } from './protocol.ts'

export type { Decision } from '../decision.ts'
export type { ApprovalRequest, StepOptions } from '../question.ts'

/** Where the activities run, and how long a tool may take. */
export interface GateOptions {
  /** The queue of the workers that have `countersignActivities`. That of the workflow unless set. */
  readonly taskQueue?: string | undefined
  /** How long one attempt may run the tool. An hour unless set. */
  readonly startToCloseTimeout?: ActivityOptions['startToCloseTimeout']
  /** How long a worker may be silent before it counts as dead. 15 seconds unless set. */
  readonly heartbeatTimeout?: ActivityOptions['heartbeatTimeout']
}

/** Whatever an activity cannot do now it can do soon, and doing it twice does no harm. */
const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const

interface State {
  /** Approvals that a signal named since the last look at them. */
  readonly woken: Set<string>
  /** How often a name was used. */
  readonly uses: Map<string, number>
}

const STATE = Symbol.for('countersign.temporal.workflow')

/** Globals belong to one workflow; modules may be preloaded, and then belong to all of them. */
function stateOf(): State {
  const globals = globalThis as { [STATE]?: State }
  const known = globals[STATE]
  if (known) return known
  const state: State = { woken: new Set(), uses: new Map() }
  globals[STATE] = state
  // Temporal keeps the signals that came before.
  setHandler(defineSignal<[unknown]>(WAKE_UP), (approval) => {
    if (typeof approval === 'string') state.woken.add(approval)
  })
  return state
}

function engineOf(): Waits & Pick<Engine, 'run' | 'position'> {
  const { woken, uses } = stateOf()
  // Another for each run of a chain, so that none is taken for an answer of the run before; the
  // same after a reset.
  const { workflowId, originalExecutionRunId } = workflowInfo()
  return {
    run: `${runName(NAME, workflowId)}/${originalExecutionRunId}`,
    position(name) {
      const count = (uses.get(name) ?? 0) + 1
      uses.set(name, count)
      return count === 1 ? undefined : count
    },
    async wait(name, approval, atMost) {
      if (!woken.has(approval)) {
        await condition(() => woken.has(approval), atMost, { summary: name })
      }
      woken.delete(approval)
    },
    sleep: (name, ms) => sleep(ms, { summary: name }),
    fail: failureOf,
    // An activity can also time out because its cancellation was asked for.
    isCancelled: (error) =>
      isCancellation(error) || CancellationScope.current().consideredCancelled,
  }
}

/** What people see of it, and what ends the workflow. Other errors would only stop its task. */
function failureOf(error: Error): ApplicationFailure {
  const { message, name } = error
  if (error instanceof NotApproved) {
    return ApplicationFailure.nonRetryable(message, name, error.decision)
  }
  if (error instanceof StepBlocked) {
    const { code, ran, approval = null } = error
    return ApplicationFailure.nonRetryable(message, name, { code, ran, approval })
  }
  if (isCountersignError(error)) {
    const { code, hint = null } = error
    return ApplicationFailure.nonRetryable(message, REFUSED, { code, hint })
  }
  return ApplicationFailure.nonRetryable(message, name)
}

type Asked = Sent & { readonly label: string }

function operationsOf({
  taskQueue,
  startToCloseTimeout = '1h',
  heartbeatTimeout = '15s',
}: GateOptions): Operations<Asked> {
  function activities(options: ActivityOptions): Activities<Look, Ran> {
    const queue = taskQueue === undefined ? {} : { taskQueue }
    return proxyActivities<Activities<Look, Ran>>({ retry: RETRY, ...queue, ...options })
  }
  // A workflow that was cancelled before it asked has nothing to withdraw.
  let isAsked = false
  return {
    look(summary, { label: _, ...sent }, looking) {
      isAsked ||= !CancellationScope.current().consideredCancelled
      return activities({
        summary,
        startToCloseTimeout: '30s',
        cancellationType: ActivityCancellationType.TRY_CANCEL,
      }).countersignAsk(sent, looking)
    },
    run: (summary, { label: _, ...sent }, looking) =>
      activities({
        summary,
        startToCloseTimeout,
        heartbeatTimeout,
        // A tool that runs already is not left behind: the workflow learns how it ended.
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      }).countersignRun(sent, looking),
    async withdraw(summary, { label: _, ...sent }) {
      if (!isAsked) return
      await CancellationScope.nonCancellable(async () => {
        try {
          await activities({
            summary,
            startToCloseTimeout: '1m',
            scheduleToCloseTimeout: '1h',
          }).countersignWithdraw(sent)
        } catch (error) {
          // The workflow was cancelled and ends as that; `withdrawEnded` tries again.
          log.warn('countersign: a question was left open', { question: summary, error })
        }
      })
    },
  }
}

/** Mistakes of the program, such as a name that is none, end the workflow too. */
async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isCountersignError(error)) throw failureOf(error)
    // What an activity of ours refused, without the wrapping that all activities have.
    const cause = error instanceof ActivityFailure ? error.cause : undefined
    throw cause instanceof ApplicationFailure && cause.type === REFUSED ? cause : error
  }
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  request: ApprovalRequest,
  options: GateOptions = {},
): Promise<Decision<P>> {
  return failing(async () => {
    const engine = engineOf()
    const question = { kind: 'question' as const, ...(await askedOf(engine, request)) }
    return driveDecision<P, Asked>(engine, operationsOf(options), question, looksOf(request))
  })
}

/** The same, throwing a non-retryable `ApplicationFailure` for everything but a yes. */
export async function requireApproval<P = Json>(
  request: ApprovalRequest,
  options: GateOptions = {},
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return approvedOnly({ fail: failureOf }, await waitForApproval<P>(request, options))
}

/** As much of a tool as its callers see. */
interface Callable {
  readonly run: (args: never, context: never) => unknown
}

/**
 * A tool of `countersignActivities`, by its name, as a durable step that asks first where the
 * policy says so, and runs at most once.
 */
export function guardStep<T extends Callable>(tool: string, options: GateOptions = {}) {
  return (args: Parameters<T['run']>[0] & JsonObject, use: StepOptions = {}) =>
    failing(async () => {
      const engine = engineOf()
      const question = { kind: 'step' as const, ...(await stepCall(engine, tool, args, use)) }
      const ended = await drive(engine, operationsOf(options), question, [])
      return resultOf<Awaited<ReturnType<T['run']>>>(engine, ended)
    })
}
