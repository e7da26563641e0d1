import type { Call } from '../base/call.ts'
import { isCountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { settled, startAllowed } from '../gate/allowed.ts'
import { type AnnounceOptions, createAnnounce } from '../gate/announce.ts'
import type { DeclaredOption } from '../gate/any-gate.ts'
import { boundedKey, isLongKey } from '../gate/bounded-key.ts'
import {
  type CallDeclaration,
  type CodeDeclaration,
  type CodeWords,
  createDeclarations,
  wordsOfCalled,
} from '../gate/declarations.ts'
import { type Delegate, type DelegateOptions, delegateName, delegation } from '../gate/delegate.ts'
import { milliseconds } from '../gate/gate-options.ts'
import { resultOrSentence } from '../gate/guard.ts'
import { type Outcome, refusal } from '../gate/outcome.ts'
import type { RunOptions } from '../gate/run.ts'
import { allRelease } from '../gate/settle-mode.ts'
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

export type RemoteRunOptions = Pick<RunOptions, 'signal' | 'waitFor' | 'key' | 'wait' | 'declared'>

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
  check(
    call: Call,
    options?: { definition?: ToolDefinition | undefined } & DeclaredOption,
  ): Promise<CallAnswer>
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
  /**
   * What code says of every tool of this name. It goes with each call and counts where it is
   * stricter; of several declarations, all count.
   */
  declare(tool: string, declaration: CodeDeclaration): void
  /** Whether every call of this tool may run. Known once `ready()` has resolved. */
  allowsAll(tool: string, options?: DeclaredOption): boolean
  /** Does nothing: the definition, and what code declares, go with each call. */
  tool(name: string, definition?: ToolDefinition, options?: { readonly declared?: CodeWords }): void
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

  /** What code says of this call. Functions are asked here: the server cannot. */
  async function declaredFor(
    { kind = 'tool', server, tool, args }: Call,
    called: CallDeclaration | undefined,
  ): Promise<Declared | undefined> {
    const isOwn = kind === 'tool' && server === undefined
    const predicates = isOwn ? declarations.predicatesOf(tool) : []
    const released = predicates.length > 0 && (await allRelease(predicates, args))
    const byName = isOwn ? declarations.wordsOf(tool, released) : []
    const [words, ...others] = [...byName, ...(called ? [wordsOfCalled(called)] : [])]
    if (words === undefined) return undefined
    return {
      words: others.length > 0 ? [words, ...others] : words,
      byFunction: predicates.length > 0 || called?.byFunction === true,
    }
  }

  /** Whether nobody need be asked, by the policy alone and with what code says. */
  function allowedBy(current: Policy, call: Call, called: CallDeclaration | undefined): boolean {
    const { tool } = call
    const coded = declarations.over(current, called && { tool, declared: called })
    return isAllowed(current, call) && isAllowed(coded, call)
  }

  async function run<R>(
    given: Call,
    tool: NamedTool<R>,
    { signal, waitFor, key, wait, declared: called }: RemoteRunOptions,
  ): Promise<Outcome<R>> {
    const patience = milliseconds(waitFor ?? options.waitFor)
    try {
      const call = await readOnce(given, key, options.run)
      const declared = await declaredFor(call, called)
      // Where a function was asked, it may have said otherwise before: only the server knows.
      const allows = (current: Policy) => !declared?.byFunction && allowedBy(current, call, called)
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
      return await askAndRun(call, tool, { signal, declared: declared?.words, patience, wait })
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
    async check(given, { definition, declared: called } = {}) {
      const call = await readOnce(given, undefined, options.run)
      const declared = (await declaredFor(call, called))?.words
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
    allowsAll(tool, { declared } = {}) {
      const known = policy.last()
      return known !== undefined && allowedBy(known, { tool, args: {} }, declared)
    },
    tool() {},
  }
}

/** As it goes to the server. */
interface Declared {
  readonly words: object | readonly object[]
  readonly byFunction: boolean
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
