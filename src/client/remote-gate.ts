import type { Call } from '../base/call.ts'
import { isCountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { settled, startAllowed } from '../gate/allowed.ts'
import { milliseconds } from '../gate/gate-options.ts'
import { resultOrSentence } from '../gate/guard.ts'
import { type Outcome, refusal } from '../gate/outcome.ts'
import type { RunOptions } from '../gate/run.ts'
import { snapshot } from '../gate/snapshot.ts'
import { type AnyTool, type NamedTool, namedTool, type ToolDefinition } from '../gate/tool.ts'
import { readCall } from '../policy/call.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { AgentApproval, CallAnswer } from '../wire/agent.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import { followPolicy } from './policy-bundle.ts'
import { runClaimed } from './run-claimed.ts'
import { refusedBy, refusedWith, undecidedWith } from './told.ts'
import { untilDecided } from './wait.ts'

export interface RemoteGateOptions extends ConnectionOptions {
  /** How long a caller waits for an answer, unless it says otherwise: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number
  /** The conversation or workflow, where calls do not say. */
  readonly run?: string
}

export type RemoteRunOptions = Pick<RunOptions, 'signal' | 'waitFor' | 'key'>

/** A gate whose approvals live on a server: what the server's policy allows runs without asking. */
export interface RemoteGate {
  /** Resolves when the server has answered with its policy. */
  ready(): Promise<void>
  run<R, A = JsonObject>(
    call: Call,
    tool: AnyTool<A, R>,
    options?: RemoteRunOptions,
  ): Promise<Outcome<R>>
  /** Ask and return at once. The server evaluates again, whatever the policy here said. */
  check(call: Call): Promise<CallAnswer>
  guard<R, A = JsonObject>(
    name: string,
    tool: AnyTool<A, R>,
  ): (args: A, options?: RemoteRunOptions) => Promise<R | string>
}

/** Never rejects for a call that is refused; a server that cannot be reached refuses all. */
export function remoteGate(options: RemoteGateOptions): RemoteGate {
  const connection = connect(options)
  const policy = followPolicy(connection)

  function ask(call: Call, definition?: ToolDefinition, signal?: AbortSignal): Promise<CallAnswer> {
    const body = { ...call, ...(definition ? { definition } : {}) }
    return connection
      .send('/v1/calls', { method: 'POST', body, signal })
      .then(({ body }) => body as CallAnswer)
  }

  async function run<R>(
    given: Call,
    tool: NamedTool<R>,
    { signal, waitFor, key }: RemoteRunOptions,
  ): Promise<Outcome<R>> {
    const patience = milliseconds(waitFor ?? options.waitFor)
    try {
      const call = readOnce(given, key, options.run)
      const verdict = evaluate(await policy.current(), call)
      if (signal?.aborted) return refusal('withdrawn', { tool: call.tool })
      if (verdict.verdict === 'allow') {
        return settled(call.tool, startAllowed(tool, call, call.args, signal))
      }
      return await askAndRun(call, tool, signal, patience)
    } catch (error) {
      return refusedBy(error, tool.name)
    }
  }

  async function askAndRun<R>(
    call: Call,
    tool: NamedTool<R>,
    signal: AbortSignal | undefined,
    patience: number | undefined,
  ): Promise<Outcome<R>> {
    const answer = await ask(call, tool.definition, signal)
    if (answer.status === 'allow') {
      return settled(call.tool, startAllowed(tool, call, answer.args as JsonObject, signal))
    }
    if (answer.status === 'deny') return refusedWith(answer)
    const decided = await untilDecided(connection, answer.id, { signal, patience })
    if (decided.status === 'pending') return withdraw(decided, tool.name, signal)
    if (decided.execution) return undecidedWith<R>(decided)
    if (decided.status !== 'approved') return refusedWith({ ...decided, code: decided.status })
    return runClaimed(connection, decided, tool, signal)
  }

  /** Whoever no longer waits must not find the call running later. */
  async function withdraw(
    { id }: AgentApproval,
    tool: string,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<never>> {
    try {
      await connection.send(`/v1/approvals/${id}/withdraw`, { method: 'POST' })
    } catch (error) {
      // Without a claim nothing runs, so a question that stays behind does no harm.
      if (!isCountersignError(error)) throw error
    }
    return refusal('withdrawn', { tool, ...(signal?.aborted ? {} : { as: 'undecided' }) })
  }

  return {
    async ready() {
      await policy.current()
    },
    run(call, tool, runOptions = {}) {
      return run(call, namedTool(tool, call.tool), runOptions)
    },
    check: (call) => ask(readOnce(call, undefined, options.run)),
    guard(name, tool) {
      const named = namedTool(tool, name)
      return (args, runOptions = {}) =>
        run({ tool: name, args: args as JsonObject }, named, runOptions).then(resultOrSentence)
    },
  }
}

/**
 * The call as it is at this moment, under a key: asking again after a lost answer must not become
 * a second question.
 */
function readOnce(call: Call, key: string | undefined, run: string | undefined): Call {
  const { args, ...rest } = call
  return readCall({
    ...rest,
    args: snapshot(args).args,
    run: call.run ?? run ?? crypto.randomUUID(),
    key: call.key ?? key ?? crypto.randomUUID(),
  })
}
