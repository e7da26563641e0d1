import type { Call } from '../base/call.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { isPlainObject } from '../base/json/json.ts'
import { urlBelow } from '../base/net/url-below.ts'
import { givenOptions } from '../base/options.ts'
import { boundedKey, isLongKey } from '../gate/content/bounded-key.ts'
import { snapshot } from '../gate/content/snapshot.ts'
import {
  type CallDeclaration,
  type CodeDeclaration,
  createDeclarations,
  wordsOfCalled,
} from '../gate/declared/declarations.ts'
import { type Delegate, type DelegateOptions, delegateName, delegation } from '../gate/delegate.ts'
import {
  type Guarded,
  type GuardOptions,
  guardFunction,
  type HostedOptions,
  resultOf,
} from '../gate/guard.ts'
import { type AdapterInternals, type DeclaredOption, internals } from '../gate/internals.ts'
import { type AnnounceOptions, createAnnounce } from '../gate/notify/announce.ts'
import { milliseconds } from '../gate/options.ts'
import { blocked, isUnavailable, type Outcome } from '../gate/outcome.ts'
import { settled, startAllowed } from '../gate/pipeline/allowed.ts'
import { allRelease } from '../gate/pipeline/resolve-mode.ts'
import type { RunOptions } from '../gate/pipeline/run.ts'
import {
  type AnyTool,
  type NamedTool,
  namedTool,
  type ToolContext,
  type ToolDefinition,
} from '../gate/tool.ts'
import { readCall } from '../policy/call.ts'
import { evaluate } from '../policy/evaluate/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import type { AgentApproval, CallAnswer, LookAnswer } from '../wire/agent.ts'
import { type RemoteApprovals, remoteApprovals } from './approvals.ts'
import { type Connection, type ConnectionOptions, connect } from './connection.ts'
import { followLocks } from './lock-copy.ts'
import { followPolicy } from './policy-bundle.ts'
import { runClaimed } from './run-claimed.ts'
import { blockedBy, blockedWith, claimedBefore } from './told.ts'
import { untilDecided } from './wait.ts'

export interface RemoteGateOptions extends ConnectionOptions, AnnounceOptions {
  /** How long a caller waits for an answer, unless it says otherwise: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number
  /** The conversation or workflow, where calls do not say. */
  readonly run?: string
  /** The signed-in user calls are made for, by address. Needs a token that vouches. */
  readonly principal?: string
}

/** Whether code says that what the tool returns is not to be kept: then it is not sent either. */
function dropsResult(declared: object | undefined): boolean {
  return [declared].flat().some((words: unknown) => isPlainObject(words) && words.result === 'drop')
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
  /** The function, asking first; as for a gate in this process. */
  guard<A = JsonObject, R = unknown>(
    work: (args: A, context: ToolContext) => R | Promise<R>,
    options: GuardOptions,
  ): Guarded<A, R>
  /** A sub-agent, or a skill of a remote agent, as a function that asks first. */
  delegate<A = JsonObject, R = unknown>(
    to: Delegate,
    agent: (args: A, context: ToolContext) => R | Promise<R>,
    options?: DelegateOptions,
  ): Guarded<A, R>
  /**
   * What code says of every tool of this name. It goes with each call and counts where it is
   * stricter; of several declarations, all count.
   */
  declare(tool: string, declaration: CodeDeclaration): void
  /** The same gate for one user or one conversation. Cheap: it shares connection and policy. */
  with(identity: Pick<RemoteGateOptions, 'principal' | 'run'>): RemoteGate
  /** For answers that users give in the application, under a token that vouches for them. */
  readonly approvals: RemoteApprovals
  /** For adapters of this package. Not part of the public API. */
  readonly [internals]: AdapterInternals
}

/** Never rejects for a call that is refused; a server that cannot be reached refuses all. */
export function remoteGate(given: RemoteGateOptions): RemoteGate {
  const options = givenOptions(given)
  refuseMode(options)
  const connection = connect(options)
  return gateOver(
    {
      connection,
      policy: followPolicy(connection),
      declarations: createDeclarations(),
      locks: followLocks(connection),
      announce: createAnnounce(options, (id) => urlBelow(options.url, `/approvals/${id}`).href),
    },
    options,
  )
}

/** What all gates of one connection share, whomever they speak for. */
interface Shared {
  readonly connection: Connection
  readonly policy: ReturnType<typeof followPolicy>
  readonly declarations: ReturnType<typeof createDeclarations>
  readonly locks: ReturnType<typeof followLocks>
  readonly announce: ReturnType<typeof createAnnounce>
}

function gateOver(shared: Shared, options: Omit<RemoteGateOptions, 'url' | 'token'>): RemoteGate {
  const { connection, policy, declarations, locks, announce } = shared

  function ask(call: Call, asking: Asking = {}): Promise<CallAnswer> {
    return send(call, asking) as Promise<CallAnswer>
  }

  function send(call: Call, { definition, declared, signal, ask }: Asking): Promise<LookAnswer> {
    const body = {
      ...call,
      ...(definition ? { definition } : {}),
      ...(declared ? { declared } : {}),
      ...(ask === false ? { ask } : {}),
    }
    return connection
      .send('/v1/calls', { method: 'POST', body, signal })
      .then(({ body }) => body as LookAnswer)
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

  /** Whether no approval is needed, by the policy alone and with what code says. */
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
      const call = await readOnce(given, key, options)
      const declared = await declaredFor(call, called)
      // Where a function was asked, it may have said otherwise before: only the server knows.
      const allows = (current: Policy) => !declared?.byFunction && allowedBy(current, call, called)
      const looksAllowed = allows(await policy.current())
      // What needs a person is checked by the server; what does not is checked here.
      const reason = looksAllowed ? await locks.on(call) : undefined
      // An admin may have applied another policy, or switched a tool, since ours was confirmed.
      const allowed = looksAllowed && allows(await policy.current(locks.policy()))
      if (signal?.aborted) return blocked('withdrawn', { tool: call.tool })
      if (reason !== undefined) return blocked('locked', { tool: call.tool, reason })
      if (allowed) {
        return settled(call.tool, startAllowed(tool, call, call.args, signal))
      }
      return await askAndRun(call, tool, { signal, declared: declared?.words, patience, wait })
    } catch (error) {
      return blockedBy(error, tool.name)
    }
  }

  async function askAndRun<R>(
    call: Call,
    tool: NamedTool<R>,
    { signal, declared, patience, wait }: Asking & { patience: number | undefined; wait?: false },
  ): Promise<Outcome<R>> {
    const answer = await ask(call, { definition: tool.definition, declared, signal })
    if (answer.status === 'allowed') {
      return settled(call.tool, startAllowed(tool, call, answer.args as JsonObject, signal))
    }
    if (answer.status === 'blocked') return blockedWith(answer)
    if (answer.status === 'pending' && wait === false) {
      return { status: 'pending', ran: false, modelMessage: answer.modelMessage }
    }
    const { id } = answer
    const quiet = answer.status === 'pending' ? announce({ id, tool: call.tool }) : () => {}
    const decided = await untilDecided(connection, id, { signal, patience }).finally(quiet)
    if (decided.status === 'pending') return withdraw(decided, tool.name, signal)
    if (decided.execution) return claimedBefore<R>(decided)
    if (decided.status !== 'approved') return blockedWith({ ...decided, code: decided.status })
    try {
      return await runClaimed(connection, decided, tool, { signal, drop: dropsResult(declared) })
    } catch (error) {
      // Another caller was faster: what became of it there is the answer, not that it did not run.
      if (!isCountersignError(error, 'already_claimed')) throw error
      return claimedBefore<R>(await untilDecided(connection, answer.id, { signal, patience: 0 }))
    }
  }

  /** A caller that no longer waits must not find the call running later. */
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
    return blocked('withdrawn', { tool, ...(signal?.aborted ? {} : { as: 'undecided' }) })
  }

  async function checking(
    given: Call,
    { definition, declared: called }: { definition?: ToolDefinition | undefined } & DeclaredOption,
  ): Promise<{ readonly call: Call; readonly asking: Asking }> {
    const call = await readOnce(given, undefined, options)
    const declared = (await declaredFor(call, called))?.words
    return { call, asking: { definition, declared } }
  }

  /** That no server answers says nothing of the call; everything else is the answer to it. */
  async function answered<T>(call: Call, asking: () => Promise<T>) {
    try {
      return await asking()
    } catch (error) {
      const { status, code, modelMessage } = blockedBy(error, call.tool)
      if (isUnavailable(code)) throw error
      return { status, code, modelMessage }
    }
  }

  async function calling<R>(
    call: Call,
    tool: NamedTool<R>,
    { run: own, ...hosted }: HostedOptions,
  ): Promise<R> {
    const named = own === undefined ? call : { ...call, run: own }
    return resultOf(await run(named, tool, hosted), hosted)
  }

  return {
    async ready() {
      await Promise.all([policy.current(), locks.ready()])
    },
    run(call, tool, runOptions = {}) {
      return run(call, namedTool(tool, call.tool), runOptions)
    },
    async check(given, checkOptions = {}) {
      const { call, asking } = await checking(given, checkOptions)
      return answered(call, () => ask(call, asking))
    },
    guard: (work, guardOptions) =>
      guardFunction(
        { declare: declarations.declare, tool() {}, call: calling },
        work,
        guardOptions,
      ),
    delegate(to, agent, { parent } = {}) {
      const named = namedTool(agent, delegateName(to))
      return async (args, runOptions = {}) =>
        calling(delegation(to, args as JsonObject, parent), named, runOptions)
    },
    declare: declarations.declare,
    with(identity) {
      const given = givenOptions(identity)
      refuseMode(given)
      const { principal = options.principal, run: own = options.run } = given
      return gateOver(shared, {
        ...options,
        ...(principal === undefined ? {} : { principal }),
        ...(own === undefined ? {} : { run: own }),
      })
    },
    approvals: remoteApprovals(connection),
    [internals]: {
      async asked(given, checkOptions = {}) {
        const { call, asking } = await checking(given, checkOptions)
        const now = await answered(call, () => send(call, { ...asking, ask: false }))
        return now.status === 'unasked' || now.status === 'allowed' ? undefined : now
      },
      allowsAll(tool, { declared } = {}) {
        const known = policy.last()
        return known !== undefined && allowedBy(known, { tool, args: {} }, declared)
      },
      // The definition, and what code declares, go with each call.
      tool() {},
    },
  }
}

/** A mode that had no effect would be taken for one that has. */
function refuseMode(options: object): void {
  if ((options as { mode?: unknown }).mode === undefined) return
  throw new CountersignError('mode_refused', 'a gate over a server has no mode', {
    hint: 'The policy of the server decides. Leave out `mode`, or use createGate with a store of its own.',
  })
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
  readonly ask?: false
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
  { run, principal = call.principal }: Pick<RemoteGateOptions, 'run' | 'principal'>,
): Promise<Call> {
  const { args, key: own, ...rest } = call
  if (call.principal !== undefined && call.principal !== principal) {
    throw new CountersignError('invalid_call', 'the call names another principal than its gate')
  }
  const named = own ?? key ?? crypto.randomUUID()
  const isLong = isLongKey(named)
  const read = readCall({
    ...rest,
    ...(principal === undefined ? {} : { principal }),
    args: snapshot(args).args,
    run: rest.run ?? run ?? crypto.randomUUID(),
    ...(isLong ? {} : { key: named }),
  })
  return isLong ? { ...read, key: await boundedKey(named) } : read
}
