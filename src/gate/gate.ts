import type { PersonName } from '../approval/person.ts'
import type { AgentName, Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { givenOptions } from '../base/options.ts'
import { verdictWord } from '../policy/evaluate.ts'
import { isMadeMode } from '../policy/made-modes.ts'
import { ANNOTATED, type Mode } from '../policy/mode.ts'
import { ALLOW } from '../policy/verdict.ts'
import type { Store } from '../store/store.ts'
import { admit } from './access.ts'
import { settled, startAllowed } from './allowed.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { type BatchItem, type BatchOptions, runBatch } from './batch.ts'
import { askedAbout, type Checked, type CheckOptions, checkCall } from './check.ts'
import type { Core } from './core.ts'
import type { CodeDeclaration, CodeWords } from './declarations.ts'
import { type Delegate, type DelegateOptions, delegateName, delegation } from './delegate.ts'
import { createCore, type GateOptions } from './gate-options.ts'
import { createGrants, type Grants } from './grants.ts'
import {
  type Guarded,
  type GuardOptions,
  guardFunction,
  type HostedOptions,
  resultOf,
} from './guard.ts'
import { type GateInternals, internals } from './internals.ts'
import { calledOf } from './judge-call.ts'
import { claimByLease, finishClaim, renewLease } from './lease.ts'
import type { GateEvent, Listener } from './listeners.ts'
import { createLocks, type Locks } from './locks.ts'
import type { Outcome } from './outcome.ts'
import { isProduction } from './production.ts'
import { createAllowedBytes } from './quick-bytes.ts'
import { createQuick } from './quick-run.ts'
import type { RegisteredTool } from './registry.ts'
import { type ResumeOptions, resumeApproval } from './resume.ts'
import { type RunOptions, runCall } from './run.ts'
import { createStandIns, type StandIns } from './stand-ins.ts'
import { agentName, personName, type Standing } from './standing.ts'
import { createSwitches, type Switches } from './switches.ts'
import {
  type AnyTool,
  type NamedTool,
  namedTool,
  type ToolContext,
  type ToolDefinition,
  type Tools,
} from './tool.ts'

/** What may differ between two gates that share everything else. */
export interface GateIdentity {
  readonly mode?: Mode
  readonly run?: string
  /** The authenticated agent. */
  readonly agent?: string | AgentName
  /** The acting user, authenticated by whoever makes the gate. */
  readonly principal?: string | PersonName
  readonly requester?: string | PersonName
  readonly door?: string
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
  /** Whether people are asked about tools of servers, where no file says so. */
  readonly switches: Switches
  /** Who answers for whom while they are away. */
  readonly standIns: StandIns
  /** The tools that were guarded so far. */
  readonly tools: readonly RegisteredTool[]
}

/** The one place where a call waits. Never rejects for a call that is refused. */
export interface Gate {
  /** Resolves when the store has shown that it can write; throws `store_unavailable` otherwise. */
  ready(): Promise<void>
  /** Ask, wait, run: all in one. */
  run<R, A = JsonObject>(call: Call, tool: AnyTool<A, R>, options?: RunOptions): Promise<Outcome<R>>
  /** Ask and return at once. */
  check(call: Call, options?: CheckOptions): Promise<Checked>
  /** Run what was approved, later and anywhere. */
  resume(id: string, tools: Tools, options?: ResumeOptions): Promise<Outcome>
  batch(items: readonly BatchItem[], options?: BatchOptions): Promise<Outcome[]>
  /**
   * The function, asking first. Resolves with its own result, throws what it throws, and throws
   * `CallBlocked` for a call that did not run. Options declare what policy files can.
   */
  guard<A = JsonObject, R = unknown>(
    work: (args: A, context: ToolContext) => R | Promise<R>,
    options: GuardOptions,
  ): Guarded<A, R>
  /**
   * A sub-agent, or a skill of a remote agent, as a function that asks before anything is handed
   * over. What the other agent calls is asked about by itself.
   */
  delegate<A = JsonObject, R = unknown>(
    to: Delegate,
    agent: (args: A, context: ToolContext) => R | Promise<R>,
    options?: DelegateOptions,
  ): Guarded<A, R>
  /** The same gate for somebody else, another run, or in another mode. */
  with(identity: GateIdentity): Gate
  on<E extends GateEvent>(event: E, listener: Listener<E>): () => void
  /**
   * What code says of every tool of this name, in the words of policy files. Beside a file, and
   * beside other declarations of the name, the strictest counts. What differs between two tools of
   * one name, or from call to call, goes with the call as `declared`.
   */
  declare(tool: string, declaration: CodeDeclaration): void
  readonly approvals: Approvals
  readonly admin: Admin
  /** Resolves when everything that ran is recorded, and stops sending notices. The store stays open. */
  close(): Promise<void>
  /** For adapters, doors and tests of this package. Not part of the public API. */
  readonly [internals]: GateInternals
}

/** Throws at once when there is no policy, or no store to keep approvals in. */
export function createGate(options: GateOptions & GateIdentity): Gate {
  const given = givenOptions(options)
  return gateFor(createCore(given), standingOf(given))
}

function gateFor(core: Core, standing: Standing): Gate {
  const { listeners, registry, store } = core
  const quick = createQuick(core, standing)
  // Only a tool that says what its arguments look like is validated, and that check sees.
  const plain = core.validate ? createQuick({ ...core, validate: undefined }, standing) : quick

  /** Who makes it and where, for the idempotency key: it is made of these. */
  function owned(call: Call): Call {
    if (call.key === undefined) return call
    const { agent = standing.agent, run: chat = standing.run } = call
    return { ...call, ...(agent ? { agent } : {}), ...(chat ? { run: chat } : {}) }
  }

  function start<R>(call: Call, tool: NamedTool<R>, signal: AbortSignal | undefined): Promise<R> {
    if (listeners.has('evaluated')) listeners.emit('evaluated', { call, verdict: ALLOW })
    return startAllowed(tool, call, call.args, signal)
  }

  function run<R>(given: Call, tool: NamedTool<R>, options: RunOptions): Promise<Outcome<R>> {
    const { signal, key, declared } = options
    const call = key === undefined || given.key !== undefined ? given : { ...given, key }
    const allowed = !signal?.aborted && quick.allows(call, declared)
    return told(
      call,
      allowed
        ? settled(call.tool, start(owned(call), tool, signal))
        : runCall(core, standing, call, tool, options),
    )
  }

  function guarded<R>(given: Call, tool: NamedTool<R>, options: HostedOptions): Promise<R> {
    const { signal, run: chat = standing.run, key, declared } = options
    const { args, context } = given
    const call = { tool: tool.name, args, agent: standing.agent, run: chat, key } as Call
    if (context !== undefined || signal?.aborted || !quick.allowsOwn(call, declared)) {
      return asked({ ...call, ...(context ? { context } : {}) }, tool, options)
    }
    const running = start(call, tool, signal)
    if (listeners.has('finished')) void told(call, settled(call.tool, running))
    // The tool's own promise: one more around it would cost more than all the rest.
    return running
  }

  /** The whole way: judge, ask, wait, run. */
  async function asked<R>(call: Call, tool: NamedTool<R>, options: HostedOptions): Promise<R> {
    const { run: chat = standing.run, onModelMessage: _, ...waiting } = options
    const running = runCall(core, { ...standing, run: chat }, call, tool, waiting)
    return resultOf(await told(call, running), options)
  }

  /** Listeners hear how it ended; nobody waits for them. */
  function told<R>(call: Call, ending: Promise<Outcome<R>>): Promise<Outcome<R>> {
    if (listeners.has('finished')) {
      void ending.then((outcome) => listeners.emit('finished', { call, outcome }), ignore)
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
    registry.register(standing, { tool: name, server, door: standing.door, definition, code })
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
    check: (call, options = {}) => checkCall(core, standing, plain, call, options),
    resume: (id, tools, options = {}) => resumeApproval(core, standing, id, tools, options),
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
    with: (identity) => gateFor(core, standingOf(givenOptions(identity), standing)),
    on: listeners.on,
    declare(tool, declaration) {
      core.declarations.declare(tool, declaration)
      registry.declared(standing, tool, core.declarations.codeOf(tool))
    },
    approvals: createApprovals(core, standing),
    admin: {
      grants: createGrants(core),
      locks: createLocks(store, core.locks),
      switches: createSwitches(core),
      standIns: createStandIns(core),
      get tools() {
        return registry.list()
      },
    },
    async close() {
      await idle()
      await core.deliverer?.stop()
    },
    [internals]: {
      asked: (call, options = {}) => askedAbout(core, standing, plain, call, options),
      allows: (call, { declared } = {}) => quick.allows(call, declared),
      allowedBytes: createAllowedBytes(core, standing),
      admit: (access) => admit(core, standing, access),
      allowsAll: (tool, { declared } = {}) =>
        standing.mode.kind !== 'custom' &&
        verdictWord(core.policy(calledOf(tool, declared)), { tool, args: {} }, standing.mode) ===
          'allow',
      tool: register,
      claim: (id, digest, options = {}) => claimByLease(core, standing, id, digest, options),
      renew: (claim) => renewLease(core, claim),
      finish: (finished) => finishClaim(core, finished),
      idle,
    },
  }
  return gate
}

const NO_OPTIONS = {}

const ANYBODY: Standing = {
  door: 'in-process',
  agent: undefined,
  principal: undefined,
  requester: undefined,
  run: undefined,
  mode: ANNOTATED,
  isValid: undefined,
}

function standingOf(identity: GateIdentity, base: Standing = ANYBODY): Standing {
  return {
    door: identity.door ?? base.door,
    agent: agentName(identity.agent) ?? base.agent,
    principal: personName(identity.principal) ?? base.principal,
    requester: personName(identity.requester) ?? base.requester,
    run: identity.run ?? base.run,
    mode: stricter(modeOf(identity), base.mode),
    isValid: both(identity.isValid, base.isValid),
  }
}

type Valid = Standing['isValid']

function both(own: Valid, base: Valid): Valid {
  return own && base ? async () => (await own()) && (await base()) : (own ?? base)
}

/** A mode is checked where it is set, however it came to be: it may turn the owner's rules off. */
function modeOf({ mode }: GateIdentity): Mode | undefined {
  if (mode === undefined) return undefined
  if (!isMadeMode(mode)) {
    throw new CountersignError('mode_refused', 'this is no mode', {
      hint: 'Pass what annotated(), denyAll(), observe(), custom(decide) or, in tests, allowAll() gives, as it is.',
    })
  }
  if (mode.kind === 'allowAll' && isProduction()) {
    throw new CountersignError(
      'mode_refused',
      'allowAll() is for tests and refuses NODE_ENV=production',
      { hint: 'Use annotated(), and declare approval: false for the tools that may run freely.' },
    )
  }
  return mode
}

/** Whoever said that nothing runs is not overruled by somebody who only wants to look. */
function stricter(mode: Mode | undefined, base: Mode): Mode {
  if (mode === undefined) return base
  return mode.kind === 'observe' && base.kind === 'denyAll' ? base : mode
}

async function provesWritable(store: Store): Promise<void> {
  try {
    // Removes only what is past its time, but has to write to do so.
    await store.erase(0)
  } catch (cause) {
    throw new CountersignError('store_unavailable', 'the store cannot be written', {
      hint: 'Without a store that keeps approvals nobody can be asked; check the database.',
      cause,
    })
  }
}

function ignore(): void {}
