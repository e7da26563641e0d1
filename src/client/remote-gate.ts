import type { CallAnswer, LookAnswer } from '../api/agent.ts'
import type { Call } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import { urlBelow } from '../base/net/url-below.ts'
import { givenOptions } from '../base/options.ts'
import type { Pipeline } from '../gate/backend.ts'
import { type CodeWords, createDeclarations } from '../gate/declared/declarations.ts'
import { delegateName, delegation } from '../gate/delegate.ts'
import { guardFunction, type HostedOptions, resultOf } from '../gate/guard.ts'
import { type DeclaredOption, internals } from '../gate/internals.ts'
import { createListeners, type Listener } from '../gate/listeners.ts'
import { modeOf, stricterMode } from '../gate/mode-of.ts'
import { milliseconds } from '../gate/options.ts'
import { isUnavailable, type Outcome, refusedBy } from '../gate/outcome.ts'
import { runBatch } from '../gate/pipeline/batch.ts'
import { runCall } from '../gate/pipeline/run.ts'
import { type AnnounceOptions, createAnnounce, createWaiting } from '../gate/pipeline/waiting.ts'
import { previewMaker } from '../gate/preview/make-preview.ts'
import type { Previewing } from '../gate/preview/previewing.ts'
import type { CallOptions } from '../gate/run-options.ts'
import { checkToolName, type NamedTool, namedTool, type ToolDefinition } from '../gate/tool.ts'
import type { ToolGate } from '../gate/tool-gate.ts'
import { ANNOTATED, type Mode } from '../policy/evaluate/mode.ts'
import { type RemoteApprovals, remoteApprovals } from './approvals.ts'
import { type Connection, type ConnectionOptions, connectAgent } from './connection.ts'
import { createDefinitions } from './definitions.ts'
import {
  allowsEvery,
  judgeRemote,
  preparedCall,
  type RemoteCaller,
  type RemoteGiven,
  type Rules,
} from './judge.ts'
import { followLocks } from './lock-copy.ts'
import { followPolicy } from './policy-bundle.ts'
import { resumeRemote } from './resume.ts'
import {
  type Besides,
  type ServerCall,
  type ServerQuestion,
  sendAsked,
  serverBackend,
} from './server-backend.ts'

export interface RemoteIdentity {
  /** The conversation or workflow, where calls do not say. */
  readonly run?: string
  /** The signed-in user calls are made for, by address. Needs a token that vouches. */
  readonly principal?: string
  /** Only tightens what the server's policy says, apart from `observe` and, in tests, `allowAll`. */
  readonly mode?: Mode
}

export interface RemoteGateOptions extends ConnectionOptions, AnnounceOptions, RemoteIdentity {
  /** How long a caller waits for an answer, unless it says otherwise: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number
}

export interface RemoteCheckOptions extends DeclaredOption, Previewing {
  readonly key?: string | undefined
  readonly join?: 'digest' | undefined
  readonly batch?: string | undefined
  /** Proof from another gate that this call was approved there. It is used up by `allowed`. */
  readonly countersignature?: string | undefined
  /** Of the tool; what this gate guards under its name unless given. */
  readonly definition?: ToolDefinition | undefined
  /** JSON Schema of what an approver fills in. */
  readonly form?: JsonObject | undefined
}

/** A gate whose approvals live on a server: what the server's policy allows runs without asking. */
export interface RemoteGate extends ToolGate {
  /** Resolves when the server has answered with its policy. */
  ready(): Promise<void>
  /** Ask and return at once. The server evaluates again, whatever the policy here said. */
  check(call: Call, options?: RemoteCheckOptions): Promise<CallAnswer>
  /** The same gate for one user, one conversation or in another mode. It shares connection and policy. */
  with(identity: RemoteIdentity): RemoteGate
  /** Only the end of a call is known here: questions and verdicts are the server's. */
  on(event: 'finished', listener: Listener<'finished'>): () => void
  /** Resolves when what ran is reported to the server, or was given up. */
  close(): Promise<void>
  /** For answers that users give in the application, under a token that vouches for them. */
  readonly approvals: RemoteApprovals
}

/** Never rejects for a call that is refused; a server that cannot be reached refuses all. */
export function remoteGate(given: RemoteGateOptions): RemoteGate {
  const options = givenOptions(given)
  const connection = connectAgent(options)
  const declarations = createDeclarations()
  const policy = followPolicy(connection)
  const hides = () => {
    const known = policy.last()
    return known && declarations.over(known)
  }
  const backend = serverBackend(connection, hides)
  const reports = new Set<Promise<unknown>>()
  function reporting<T>(report: Promise<T>): Promise<T> {
    reports.add(report)
    return report.finally(() => reports.delete(report))
  }
  const shared: Shared = {
    connection,
    async reported() {
      await Promise.allSettled(reports)
    },
    rules: {
      policy,
      locks: followLocks(connection),
      declarations,
      definitions: createDefinitions(),
    },
    pipeline: {
      backend: { ...backend, finish: (claim, ended) => reporting(backend.finish(claim, ended)) },
      waitFor: milliseconds(options.waitFor),
      // The server looks after its questions; nothing here has to.
      waiting: createWaiting(() => IDLE),
      announce: createAnnounce(options, (id) => urlBelow(options.url, `/approvals/${id}`).href),
      listeners: createListeners(),
      telemetry: undefined,
      probe() {},
    },
  }
  return gateOver(shared, callerOf(options, UNNAMED))
}

/** What all gates of one connection share, whomever they speak for. */
interface Shared {
  readonly connection: Connection
  reported(): Promise<void>
  readonly rules: Rules
  readonly pipeline: Omit<Pipeline<ServerCall, ServerQuestion>, 'judge' | 'mode'>
}

const IDLE = { sweep: async () => 0, async stop() {} }

const UNNAMED: RemoteCaller = { run: undefined, principal: undefined, mode: ANNOTATED }

function callerOf(identity: RemoteIdentity, base: RemoteCaller): RemoteCaller {
  const { run = base.run, principal = base.principal } = identity
  return { run, principal, mode: stricterMode(modeOf(identity), base.mode) }
}

function gateOver(shared: Shared, caller: RemoteCaller): RemoteGate {
  const { connection, rules } = shared
  const { policy, locks, declarations, definitions } = rules
  const pipeline: Pipeline<ServerCall, ServerQuestion> = {
    ...shared.pipeline,
    mode: caller.mode,
    judge: (given) => judgeRemote(rules, caller, given),
  }

  /** What the server says of a call now. That none answers says nothing of the call. */
  async function answerTo(
    given: RemoteGiven,
    besides: Besides,
    previewing: Previewing = {},
  ): Promise<LookAnswer> {
    try {
      if (caller.mode.kind === 'allowAll') {
        const judged = await judgeRemote(rules, caller, given)
        if ('isAllowed' in judged && judged.isAllowed) {
          return { status: 'allowed', args: judged.bytes.args }
        }
      }
      const prepared = await preparedCall(rules, caller, given)
      if (!('refused' in prepared)) {
        const { tool } = given.call
        const make = previewMaker(previewing, { tool, bytes: prepared.bytes })
        // Without a signal of its own a check is never given up while its preview is made.
        return (await sendAsked(connection, prepared, besides, { make })) as LookAnswer
      }
      const { status, code, modelMessage } = prepared.refused
      return { status, code, modelMessage }
    } catch (error) {
      const { status, code, modelMessage } = refusedBy(error, given.call.tool)
      if (isUnavailable(code)) throw error
      return { status, code, modelMessage }
    }
  }

  function noteTool(
    tool: string,
    definition?: ToolDefinition,
    { server }: { readonly server?: string; readonly declared?: CodeWords } = {},
  ): void {
    checkToolName(tool)
    definitions.note({ tool, ...(server === undefined ? {} : { server }) }, definition)
  }

  async function run<R>(call: Call, tool: NamedTool<R>, options: CallOptions): Promise<Outcome<R>> {
    const { form } = options
    const formed = form === undefined ? call : { ...call, form }
    const outcome = await runCall(pipeline, formed, tool, options)
    if (outcome.status !== 'pending') pipeline.listeners.emit('finished', { call, outcome })
    return outcome
  }

  async function calling<R>(
    call: Call,
    tool: ReturnType<typeof namedTool<JsonObject, R>>,
    { run: own, ...hosted }: HostedOptions,
  ): Promise<R> {
    const named = own === undefined ? call : { ...call, run: own }
    return resultOf(await run(named, tool, hosted), hosted)
  }

  return {
    async ready() {
      await Promise.all([policy.current(), locks.ready()])
    },
    run: async (call, tool, options = {}) => run(call, namedTool(tool, call.tool), options),
    on: (event, listener) => pipeline.listeners.on(event, listener),
    close: shared.reported,
    async check(asked, options = {}) {
      const { definition, declared, key, join, batch, countersignature, form } = options
      const call = form === undefined ? asked : { ...asked, form }
      const given = { call, key, join, tool: { definition }, declared }
      const besides = {
        ...(batch === undefined ? {} : { batch }),
        ...(countersignature === undefined ? {} : { countersignature }),
      }
      return (await answerTo(given, besides, options)) as CallAnswer
    },
    resume: (id, tools, options = {}) =>
      resumeRemote({ connection, rules, pipeline, caller }, id, tools, options),
    answer: (id, text) =>
      connection.call('POST /v1/approvals/:id/replies', { params: { id }, body: { text } }),
    batch: (items, options = {}) => runBatch(run, items, options),
    guard: (work, options) =>
      guardFunction(
        { declare: declarations.declare, tool: noteTool, call: calling },
        work,
        options,
      ),
    delegate(to, agent, { parent } = {}) {
      const named = namedTool(agent, delegateName(to))
      return async (args, options = {}) =>
        calling(delegation(to, args as JsonObject, parent), named, options)
    },
    declare: declarations.declare,
    with: (identity) => gateOver(shared, callerOf(givenOptions(identity), caller)),
    approvals: remoteApprovals(connection),
    [internals]: {
      async asked(call, { definition, declared } = {}) {
        const given = { call, key: undefined, tool: { definition }, declared }
        const now = await answerTo(given, { ask: false })
        return now.status === 'unasked' || now.status === 'allowed' ? undefined : now
      },
      allowsAll: (tool, { declared } = {}) => allowsEvery(rules, caller.mode, tool, declared),
      // What code declares goes with each call.
      tool: noteTool,
    },
  }
}
