import type { Call } from '../base/call.ts'
import { isCountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { settled, startAllowed } from '../gate/allowed.ts'
import { type AnnounceOptions, createAnnounce } from '../gate/announce.ts'
import { boundedKey, isLongKey } from '../gate/bounded-key.ts'
import { type CodeDeclaration, createDeclarations } from '../gate/declarations.ts'
import { type Delegate, type DelegateOptions, delegateName, delegation } from '../gate/delegate.ts'
import { milliseconds } from '../gate/gate-options.ts'
import { resultOrSentence } from '../gate/guard.ts'
import { type Outcome, refusal } from '../gate/outcome.ts'
import type { RunOptions } from '../gate/run.ts'
import { answerInTime } from '../gate/settle-mode.ts'
import { snapshot } from '../gate/snapshot.ts'
import { type AnyTool, type NamedTool, namedTool, type ToolDefinition } from '../gate/tool.ts'
import { readCall } from '../policy/call.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import type { AgentApproval, CallAnswer } from '../wire/agent.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import { followLocks } from './lock-copy.ts'
import { followPolicy } from './policy-bundle.ts'
import { runClaimed } from './run-claimed.ts'
import { refusedBy, refusedWith, undecidedWith } from './told.ts'
import { untilDecided } from './wait.ts'

export interface RemoteGateOptions extends ConnectionOptions, AnnounceOptions {
  /** How long a caller waits for an answer, unless it says otherwise: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number
  /** The conversation or workflow, where calls do not say. */
  readonly run?: string
}

export type RemoteRunOptions = Pick<RunOptions, 'signal' | 'waitFor' | 'key' | 'wait'>

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
  check(call: Call, options?: { definition?: ToolDefinition | undefined }): Promise<CallAnswer>
  guard<R, A = JsonObject>(
    name: string,
    tool: AnyTool<A, R>,
  ): (args: A, options?: RemoteRunOptions) => Promise<R | string>
  /** A sub-agent, or a skill of a remote agent, as a function that asks first. */
  delegate<R, A = JsonObject>(
    to: Delegate,
    agent: AnyTool<A, R>,
    options?: DelegateOptions,
  ): (args: A, options?: RemoteRunOptions) => Promise<R | string>
  /** What code says of a tool. It goes with each call, and counts where it is stricter. */
  declare(tool: string, declaration: CodeDeclaration): void
  /** Whether every call of this tool may run. Known once `ready()` has resolved. */
  allowsAll(tool: string): boolean
  /** Does nothing: the definition goes with each call. */
  tool(name: string, definition?: ToolDefinition): void
}

/** Never rejects for a call that is refused; a server that cannot be reached refuses all. */
export function remoteGate(options: RemoteGateOptions): RemoteGate {
  const connection = connect(options)
  const policy = followPolicy(connection)
  const declarations = createDeclarations()
  const locks = followLocks(connection)
  const announce = createAnnounce(options, (id) => new URL(`approvals/${id}`, options.url).href)

  function ask(call: Call, { definition, declared, signal }: Asking = {}): Promise<CallAnswer> {
    const body = {
      ...call,
      ...(definition ? { definition } : {}),
      ...(declared ? { declared } : {}),
    }
    return connection
      .send('/v1/calls', { method: 'POST', body, signal })
      .then(({ body }) => body as CallAnswer)
  }

  /** What code says of this call. A function is asked here: the server cannot. */
  async function declaredFor({ kind, server, tool, args }: Call): Promise<object | undefined> {
    if (server || (kind !== undefined && kind !== 'tool')) return undefined
    const predicate = declarations.predicateOf(tool)
    const released = predicate && (await answerInTime(() => predicate(args))) === false
    const words = declarations.wordsOf(tool)
    return released ? { ...words, approval: false } : words
  }

  async function run<R>(
    given: Call,
    tool: NamedTool<R>,
    { signal, waitFor, key, wait }: RemoteRunOptions,
  ): Promise<Outcome<R>> {
    const patience = milliseconds(waitFor ?? options.waitFor)
    try {
      const call = await readOnce(given, key, options.run)
      const declared = await declaredFor(call)
      // Where a function was asked, it may have said otherwise before: only the server knows.
      const allows = (current: Policy) =>
        isAllowed(current, call) && isAllowed(declared ? declarations.over(current) : current, call)
      const looksAllowed = allows(await policy.current())
      // What needs a person is checked by the server; what does not is checked here.
      const reason = looksAllowed ? await locks.on(call) : undefined
      // Somebody may have applied another policy, or switched a tool, since ours was confirmed.
      const allowed = looksAllowed && allows(await policy.current(locks.policy()))
      if (signal?.aborted) return refusal('withdrawn', { tool: call.tool })
      if (reason !== undefined) return refusal('locked', { tool: call.tool, reason })
      if (allowed) {
        return settled(call.tool, startAllowed(tool, call, call.args, signal))
      }
      return await askAndRun(call, tool, { signal, declared, patience, wait })
    } catch (error) {
      return refusedBy(error, tool.name)
    }
  }

  async function askAndRun<R>(
    call: Call,
    tool: NamedTool<R>,
    { signal, declared, patience, wait }: Asking & { patience: number | undefined; wait?: false },
  ): Promise<Outcome<R>> {
    const answer = await ask(call, { definition: tool.definition, declared, signal })
    if (answer.status === 'allow') {
      return settled(call.tool, startAllowed(tool, call, answer.args as JsonObject, signal))
    }
    if (answer.status === 'deny') return refusedWith(answer)
    if (answer.status === 'pending' && wait === false) {
      return { status: 'pending', ran: false, message: answer.message }
    }
    const { id } = answer
    const quiet = answer.status === 'pending' ? announce({ id, tool: call.tool }) : () => {}
    const decided = await untilDecided(connection, id, { signal, patience }).finally(quiet)
    if (decided.status === 'pending') return withdraw(decided, tool.name, signal)
    if (decided.execution) return undecidedWith<R>(decided)
    if (decided.status !== 'approved') return refusedWith({ ...decided, code: decided.status })
    try {
      return await runClaimed(connection, decided, tool, signal)
    } catch (error) {
      // Somebody else was faster: what became of it there is the answer, not that it did not run.
      if (!isCountersignError(error, 'already_claimed')) throw error
      return undecidedWith<R>(await untilDecided(connection, answer.id, { signal, patience: 0 }))
    }
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
      await Promise.all([policy.current(), locks.ready()])
    },
    run(call, tool, runOptions = {}) {
      return run(call, namedTool(tool, call.tool), runOptions)
    },
    async check(given, { definition } = {}) {
      const call = await readOnce(given, undefined, options.run)
      const declared = await declaredFor(call)
      try {
        return await ask(call, { definition, declared })
      } catch (error) {
        // That nobody answers says nothing of the call; everything else is the answer to it.
        const { status, code, message } = refusedBy(error, call.tool)
        if (status === 'unavailable') throw error
        return { status: 'deny', code, message }
      }
    },
    guard(name, tool) {
      const named = namedTool(tool, name)
      return (args, runOptions = {}) =>
        run({ tool: name, args: args as JsonObject }, named, runOptions).then(resultOrSentence)
    },
    delegate(to, agent, { parent } = {}) {
      const named = namedTool(agent, delegateName(to))
      return (args, runOptions = {}) =>
        run(delegation(to, args as JsonObject, parent), named, runOptions).then(resultOrSentence)
    },
    declare: declarations.declare,
    allowsAll(tool) {
      const known = policy.last()
      return (
        known !== undefined &&
        isAllowed(known, { tool, args: {} }) &&
        isAllowed(declarations.over(known), { tool, args: {} })
      )
    },
    tool() {},
  }
}

interface Asking {
  readonly definition?: ToolDefinition | undefined
  readonly declared?: object | undefined
  readonly signal?: AbortSignal | undefined
}

function isAllowed(policy: Policy, call: Call): boolean {
  return evaluate(policy, call).verdict === 'allow'
}

/**
 * The call as it is at this moment, under a key: asking again after a lost answer must not become
 * a second question.
 */
async function readOnce(
  call: Call,
  key: string | undefined,
  run: string | undefined,
): Promise<Call> {
  const { args, key: own, ...rest } = call
  const named = own ?? key ?? crypto.randomUUID()
  const isLong = isLongKey(named)
  const read = readCall({
    ...rest,
    args: snapshot(args).args,
    run: rest.run ?? run ?? crypto.randomUUID(),
    ...(isLong ? {} : { key: named }),
  })
  return isLong ? { ...read, key: await boundedKey(named) } : read
}
