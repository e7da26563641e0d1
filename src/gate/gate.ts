import type { Approval } from '../approval/approval.ts'
import type { PersonName } from '../approval/people/person.ts'
import type { AgentName, Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { givenOptions } from '../base/options.ts'
import { verdictWord } from '../policy/evaluate/evaluate.ts'
import { ANNOTATED, type Mode } from '../policy/evaluate/mode.ts'
import type { Store } from '../store/store.ts'
import { type Approvals, createApprovals } from './admin/approvals.ts'
import { createGrants, type Grants } from './admin/grants.ts'
import { createHolds, type Holds } from './admin/holds.ts'
import { createLocks, type Locks } from './admin/locks.ts'
import { createStandIns, type StandIns } from './admin/stand-ins.ts'
import { createSwitches, type Switches } from './admin/switches.ts'
import { answerAsAgent } from './admin/talk.ts'
import type { GateContext } from './context.ts'
import type { CodeWords } from './declared/declarations.ts'
import { delegateName, delegation } from './delegate.ts'
import { guardFunction, type HostedOptions, resultOf } from './guard.ts'
import { agentName, type CallerIdentity, personName } from './identity.ts'
import { type GateInternals, internals } from './internals.ts'
import { emitAllowed, type GateEvent, type Listener } from './listeners.ts'
import { modeOf, stricterMode } from './mode-of.ts'
import { createContext, type GateOptions, type TestHooks } from './options.ts'
import type { Outcome } from './outcome.ts'
import { admit } from './pipeline/access.ts'
import { settled, startAllowed } from './pipeline/allowed.ts'
import { runBatch } from './pipeline/batch.ts'
import {
  askedAbout,
  type Checked,
  type CheckOptions,
  checkCall,
  checkPreviewed,
  judgedOnly,
  observedCall,
} from './pipeline/check.ts'
import { createQuick } from './pipeline/fast-path.ts'
import { createAllowedBytes } from './pipeline/fast-path-bytes.ts'
import { calledOf } from './pipeline/judge.ts'
import { claimByLease, countersignLease, finishClaim, renewLease } from './pipeline/lease.ts'
import { resumeApproval } from './pipeline/resume.ts'
import type { RunOptions } from './run-options.ts'
import { runStored } from './store-backend.ts'
import { type AnyTool, type NamedTool, namedTool, type ToolDefinition } from './tool.ts'
import type { ToolGate } from './tool-gate.ts'
import type { RegisteredTool } from './tools/registry.ts'

/** What may differ between two gates that share everything else. */
export interface GateIdentity {
  readonly mode?: Mode
  readonly run?: string
  /** The authenticated agent. */
  readonly agent?: string | AgentName
  /** The acting user, authenticated by the program that makes the gate. */
  readonly principal?: string | PersonName
  readonly requester?: string | PersonName
  readonly door?: string
  /**
   * How long a confirmation may take at most, in milliseconds: for callers who sit in front of the
   * question. It shortens what the policy says, and a review keeps its own time.
   */
  readonly confirmWithin?: number
  /**
   * Whether the credential this gate speaks with still counts. Asked again just before a yes is
   * spent: people may have taken it back while others decided.
   */
  readonly isValid?: () => Promise<boolean>
}

/** What operators do at a gate, besides answering questions. */
export interface Admin {
  /** Standing permissions. */
  readonly grants: Grants
  /** What people stopped: agents, tools, servers, people, single approvals, or everything. */
  readonly locks: Locks
  /** What must not be erased. */
  readonly holds: Holds
  /** Whether people are asked about tools of servers, where no file says so. */
  readonly switches: Switches
  /** Who answers for whom while they are away. */
  readonly standIns: StandIns
  /** The tools that were guarded so far. */
  readonly tools: readonly RegisteredTool[]
}

/** The one place where a call waits. Never rejects for a call that is refused. */
export interface Gate extends ToolGate {
  /** Resolves when the store has shown that it can write; throws `store_unavailable` otherwise. */
  ready(): Promise<void>
  run<R, A = JsonObject>(call: Call, tool: AnyTool<A, R>, options?: RunOptions): Promise<Outcome<R>>
  check(call: Call, options?: CheckOptions): Promise<Checked>
  answer(id: string, text: string): Promise<Approval>
  /** The same gate for another identity, another run, or in another mode. */
  with(identity: GateIdentity): Gate
  on<E extends GateEvent>(event: E, listener: Listener<E>): () => void
  readonly approvals: Approvals
  readonly admin: Admin
  /** Resolves when everything that ran is recorded, and stops sending notices. The store stays open. */
  close(): Promise<void>
  /** For adapters, doors and tests of this package. Not part of the public API. */
  readonly [internals]: GateInternals
}

/** Throws at once when there is no policy, or no store to keep approvals in. */
export function createGate(options: GateOptions & GateIdentity): Gate {
  return createTestGate(options)
}

/** The same, with the hooks of this package's own tests. */
export function createTestGate(options: GateOptions & GateIdentity & TestHooks): Gate {
  const given = givenOptions(options)
  return gateFor(createContext(given), callerOf(given))
}

function gateFor(core: GateContext, caller: CallerIdentity): Gate {
  const { listeners, registry, store } = core
  const quick = createQuick(core, caller)
  // Only a tool that says what its arguments look like is validated, and that check sees.
  const plain = core.validate ? createQuick({ ...core, validate: undefined }, caller) : quick

  /** Who makes it and where, for the idempotency key: it is made of these. */
  function owned(call: Call): Call {
    if (call.key === undefined) return call
    const { agent = caller.agent, run: chat = caller.run } = call
    return { ...call, ...(agent ? { agent } : {}), ...(chat ? { run: chat } : {}) }
  }

  /** Listeners see calls through the full path: the arguments they are handed here would be run. */
  function isUnheard(): boolean {
    return !listeners.has('evaluated')
  }

  function start<R>(call: Call, tool: NamedTool<R>, signal: AbortSignal | undefined): Promise<R> {
    return startAllowed(tool, call, call.args, signal)
  }

  function run<R>(given: Call, tool: NamedTool<R>, options: RunOptions): Promise<Outcome<R>> {
    const { signal, key, declared } = options
    const formed = withForm(given, options)
    const call = key === undefined || formed.key !== undefined ? formed : { ...formed, key }
    const allowed = !signal?.aborted && isUnheard() && quick.allows(call, declared)
    if (allowed) emitAllowed(listeners, call, caller.agent)
    return told(
      call,
      allowed
        ? settled(call.tool, start(owned(call), tool, signal))
        : runStored(core, caller, call, tool, options),
    )
  }

  function guarded<R>(given: Call, tool: NamedTool<R>, options: HostedOptions): Promise<R> {
    const { signal, run: chat = caller.run, key, declared } = options
    const { args, context, form } = given
    const call = { tool: tool.name, args, agent: caller.agent, run: chat, key } as Call
    const isPlain = context === undefined && form === undefined && isUnheard()
    if (!isPlain || signal?.aborted || !quick.allowsOwn(call, declared)) {
      return asked({ ...call, ...given, tool: tool.name }, tool, options)
    }
    emitAllowed(listeners, call, caller.agent)
    const running = start(call, tool, signal)
    if (listeners.has('finished')) void told(call, settled(call.tool, running))
    // The tool's own promise: one more around it would cost more than all the rest.
    return running
  }

  /** The whole way: judge, ask, wait, run. */
  async function asked<R>(call: Call, tool: NamedTool<R>, options: HostedOptions): Promise<R> {
    const { run: chat = caller.run, onModelMessage: _, ...waiting } = options
    const running = runStored(core, { ...caller, run: chat }, call, tool, waiting)
    return resultOf(await told(call, running), options)
  }

  /** Listeners hear how it ended, once it has; the caller does not wait for them. */
  function told<R>(call: Call, ending: Promise<Outcome<R>>): Promise<Outcome<R>> {
    if (listeners.has('finished')) {
      const tell = (outcome: Outcome<R>) => {
        if (outcome.status !== 'pending') listeners.emit('finished', { call, outcome })
      }
      void ending.then(tell, ignore)
    }
    return ending
  }

  function register(
    name: string,
    definition?: ToolDefinition,
    { server, declared }: { readonly server?: string; readonly declared?: CodeWords } = {},
  ): void {
    if (declared && server === undefined) core.declarations.show(name, declared)
    const code = server === undefined ? core.declarations.codeOf(name) : undefined
    registry.register(caller, { tool: name, server, door: caller.door, definition, code })
  }

  async function idle(): Promise<void> {
    await core.background.idle()
    // A notice that cannot be sent now stays in the outbox.
    await core.deliverer?.deliver().catch(ignore)
  }

  const gate: Gate = {
    ready: () => provesWritable(store),
    run(call, tool, options = NO_OPTIONS) {
      try {
        return run(call, namedTool(tool, call.tool), options)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    check: (call, options = {}) => checkCall(core, caller, plain, withForm(call, options), options),
    resume: (id, tools, options = {}) => resumeApproval(core, caller, id, tools, options),
    answer: (id, text) => answerAsAgent(core, caller, id, text),
    batch: (items, options = {}) => runBatch(run, items, options),
    guard: (work, options) =>
      guardFunction({ declare: gate.declare, tool: register, call: guarded }, work, options),
    delegate(to, agent, { parent } = {}) {
      const named = namedTool(agent, delegateName(to))
      return async (args, options = NO_OPTIONS) => {
        const { key } = options
        const call = { ...delegation(to, args as JsonObject, parent), key } as Call
        return asked(call, named, options)
      }
    },
    with: (identity) => gateFor(core, callerOf(givenOptions(identity), caller)),
    on: listeners.on,
    declare(tool, declaration) {
      core.declarations.declare(tool, declaration)
      registry.declared(caller, tool, core.declarations.codeOf(tool))
    },
    approvals: createApprovals(core, caller),
    admin: {
      grants: createGrants(core),
      locks: createLocks(store, core.locks),
      holds: createHolds(store, core.locks),
      switches: createSwitches(core),
      standIns: createStandIns(core),
      get tools() {
        return registry.list()
      },
    },
    async close() {
      await idle()
      await core.deliverer?.stop()
      await core.measuring?.stop()
    },
    [internals]: {
      asked: (call, options = {}) => askedAbout(core, caller, plain, call, options),
      async askedByOtherRules() {
        return [...(await core.asked.namesByOthers(core.policy(), caller.mode.kind))]
      },
      previewed: (call, made, options = {}) =>
        checkPreviewed(core, caller, plain, call, { ...options, made }),
      judged: (call, options = {}) => judgedOnly(core, caller, plain, call, options),
      observed: (call, options = {}) => observedCall(core, caller, plain, call, options),
      allows: (call, { declared } = {}) => quick.allows(call, declared),
      allowedBytes: createAllowedBytes(core, caller),
      admit: (access, declared) => admit(core, caller, access, declared),
      allowsAll(tool, { declared } = {}) {
        const policy = core.policy(calledOf(tool, declared))
        if (caller.mode.kind === 'custom' || policy.pdps.length > 0) return false
        return verdictWord(policy, { tool, args: {} }, caller.mode) === 'allow'
      },
      tool: register,
      claim: (id, digest, options = {}) => claimByLease(core, caller, id, digest, options),
      renew: (claim) => renewLease(core, claim),
      finish: (finished) => finishClaim(core, finished),
      countersign: (claimed) => countersignLease(core, claimed),
      idle,
    },
  }
  return gate
}

const NO_OPTIONS = {}

function withForm(call: Call, { form }: Pick<CheckOptions, 'form'>): Call {
  return form === undefined ? call : { ...call, form }
}

const UNNAMED_CALLER: CallerIdentity = {
  door: 'in-process',
  agent: undefined,
  principal: undefined,
  requester: undefined,
  run: undefined,
  mode: ANNOTATED,
  isValid: undefined,
}

function callerOf(identity: GateIdentity, base: CallerIdentity = UNNAMED_CALLER): CallerIdentity {
  return {
    door: identity.door ?? base.door,
    agent: agentName(identity.agent) ?? base.agent,
    principal: personName(identity.principal) ?? base.principal,
    requester: personName(identity.requester) ?? base.requester,
    run: identity.run ?? base.run,
    mode: stricterMode(modeOf(identity), base.mode),
    confirmWithin: shorter(identity.confirmWithin, base.confirmWithin),
    isValid: both(identity.isValid, base.isValid),
  }
}

function shorter(own: number | undefined, base: number | undefined): number | undefined {
  return own === undefined || base === undefined ? (own ?? base) : Math.min(own, base)
}

type Valid = CallerIdentity['isValid']

function both(own: Valid, base: Valid): Valid {
  return own && base ? async () => (await own()) && (await base()) : (own ?? base)
}

async function provesWritable(store: Store): Promise<void> {
  try {
    // Removes only what is past its time, but has to write to do so.
    await store.erase(0)
  } catch (cause) {
    throw new CountersignError('store_unavailable', 'the store cannot be written', {
      hint: 'Without a store that keeps approvals none can be asked for; check the database.',
      cause,
    })
  }
}

function ignore(): void {}
