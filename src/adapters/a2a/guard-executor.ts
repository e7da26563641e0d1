import type { Call } from '../../base/call.ts'
import type { Outcome, Pending } from '../../gate/outcome.ts'
import { NotStarted, type Tool, type ToolContext } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkAsking } from '../asking.ts'
import { argsOf } from './message-args.ts'
import { type A2aMessage, type A2aRequest, type A2aTask, ROLE, STATE } from './protocol.ts'

/** An `AgentExecutor` of `@a2a-js/sdk` 1.x. */
export interface A2aExecutor<C, B> {
  execute(request: C, bus: B): Promise<void>
  cancelTask(taskId: string, bus: B): Promise<void>
}

export interface ExecutorAsking {
  /** What rules call the work of this agent. */
  readonly skill: string
  /** Calls of one run do not repeat each other; the name of the agent will do. */
  readonly run: string
  /** Where people decide; a task that waits then carries a link. */
  readonly inbox?: string
}

interface Bus {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the SDK of the application calls an event
  publish(event: any): void
}

const APPROVAL = 'countersign/approval'
const MESSAGE = 'countersign/message'
const URL_KEY = 'countersign/url'
const MOST_WAITING = 10_000

/**
 * Puts an executor behind the gate. A message that needs approval makes a task in
 * `TASK_STATE_AUTH_REQUIRED`; any later message of that task has us look at the decision, and runs
 * the first message if it was approved. What the later message says is not read.
 */
export function guardExecutor<C extends A2aRequest, B extends Bus>(
  gate: ToolGate,
  executor: A2aExecutor<C, B>,
  { skill, run, inbox }: ExecutorAsking,
): A2aExecutor<C, B> {
  checkAsking(gate, { run })
  /** For a cancellation, which names the task alone. */
  const waiting = new Map<string, { readonly call: Call; readonly contextId: string }>()

  /** The message that people were asked about; undefined where this is a message of its own. */
  function askedIn({ task }: A2aRequest): A2aMessage | undefined | 'lost' {
    const id = task?.status?.state === STATE.authRequired ? task.metadata?.[MESSAGE] : undefined
    if (typeof id !== 'string') return undefined
    const first = task?.history.find((one) => one.messageId === id && one.role === ROLE.user)
    return first ?? 'lost'
  }

  const callOf = (taskId: string, message: A2aMessage): Call => ({
    tool: skill,
    args: argsOf(message),
    run,
    key: JSON.stringify([taskId, message.messageId]),
  })

  const toolOf = (work: (context: ToolContext) => Promise<void>): Tool => ({
    name: skill,
    run: async (_, context) => {
      if (context.edited) throw new NotStarted('a message cannot be changed on its way')
      await work(context)
      return {}
    },
  })

  async function execute(request: C, bus: B): Promise<void> {
    const asked = askedIn(request)
    const { taskId, contextId, userMessage } = request
    const publish = (state: number, text: string, metadata: object = {}, of = userMessage) => {
      const task = taskOf(request, state, text, metadata, of)
      // Each turn begins with its task; a caller that waits is answered at the change of its status.
      bus.publish({ kind: 'task', data: task })
      bus.publish({
        kind: 'statusUpdate',
        data: { taskId, contextId, status: task.status, metadata: {} },
      })
    }
    if (asked === 'lost') {
      publish(STATE.rejected, 'The message that this task waits for is not on record.')
      return
    }
    const message = asked ?? userMessage
    const call = callOf(taskId, message)
    let hasRun = false
    const tool = toolOf(() => {
      hasRun = true
      return executor.execute(withMessage(request, message), bus)
    })
    const outcome = await gate.run(call, tool, { wait: false })
    if (outcome.status === 'pending') {
      const link = linkOf(outcome, inbox)
      waiting.set(taskId, { call, contextId })
      const [oldest] = waiting.keys()
      if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest)
      const where = link === undefined ? '' : ` They decide at ${link}.`
      publish(
        STATE.authRequired,
        `${skill} waits for a person to approve it and has not run.${where} Send a message to this task once they did; what it says is not read.`,
        {
          [APPROVAL]: outcome.approvalId ?? '',
          [MESSAGE]: message.messageId,
          ...(link === undefined ? {} : { [URL_KEY]: link }),
        },
        message,
      )
      return
    }
    waiting.delete(taskId)
    if (hasRun) {
      // The SDK of the application tells its client what an executor throws.
      if (outcome.status === 'failed') throw outcome.error
      if (outcome.status === 'succeeded') return
    }
    publish(stateOf(outcome), sentenceOf(outcome))
  }

  async function cancelTask(taskId: string, bus: B): Promise<void> {
    const known = waiting.get(taskId)
    if (!known) return executor.cancelTask(taskId, bus)
    waiting.delete(taskId)
    const { call, contextId } = known
    const stop = new AbortController()
    const none = toolOf(() => Promise.reject(new NotStarted('the task was cancelled')))
    // Asked again and given up at once: that withdraws the question.
    await gate.run(call, none, { signal: stop.signal, onPending: () => stop.abort() })
    const status = {
      state: STATE.canceled,
      message: undefined,
      timestamp: new Date().toISOString(),
    }
    bus.publish({ kind: 'statusUpdate', data: { taskId, contextId, status, metadata: {} } })
  }

  return { execute, cancelTask }
}

/** The same request with the message that was approved: the executor sees nothing of a later one. */
function withMessage<C extends A2aRequest>(request: C, message: A2aMessage): C {
  if (message === request.userMessage) return request
  const { request: sent } = request as { readonly request?: object }
  return Object.create(request, {
    userMessage: { value: message },
    ...(sent ? { request: { value: { ...sent, message } } } : {}),
  }) as C
}

function linkOf({ approvalId }: Pending, inbox: string | undefined): string | undefined {
  if (inbox === undefined || approvalId === undefined) return undefined
  return new URL(`approvals/${encodeURIComponent(approvalId)}`, inbox).href
}

function stateOf({ status }: Outcome): number {
  if (status === 'succeeded') return STATE.completed
  return status === 'blocked' ? STATE.rejected : STATE.failed
}

function sentenceOf(outcome: Outcome): string {
  return outcome.modelMessage ?? 'It was done before.'
}

function taskOf(
  { taskId, contextId, task }: A2aRequest,
  state: number,
  text: string,
  metadata: object,
  message: A2aMessage,
): A2aTask & { readonly status: object } {
  const told = {
    messageId: crypto.randomUUID(),
    contextId,
    taskId,
    role: ROLE.agent,
    parts: [
      {
        content: { $case: 'text', value: text },
        mediaType: 'text/plain',
        filename: '',
        metadata: {},
      },
    ],
    metadata: {},
    extensions: [],
    referenceTaskIds: [],
  }
  const history = task?.history ?? []
  const isKept = history.some(({ messageId }) => messageId === message.messageId)
  return {
    id: taskId,
    contextId,
    artifacts: task?.artifacts ?? [],
    history: isKept ? history : [...history, message],
    metadata: { ...task?.metadata, ...metadata },
    status: { state, message: told, timestamp: new Date().toISOString() } as never,
  }
}
