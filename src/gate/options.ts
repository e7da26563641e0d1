import { parseDuration } from '../base/duration.ts'
import { CountersignError } from '../base/errors.ts'
import type { Source } from '../policy/load/load.ts'
import { withGovernance } from '../policy/load/parse-policy.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import { createAskedTools, lockCopy, switchedPolicy } from './admin/operator-state.ts'
import { deputiesFor } from './admin/stand-ins.ts'
import { createBackground } from './background/background.ts'
import { startSweeper } from './background/sweep.ts'
import type { Authorize, GateContext, Validate } from './context.ts'
import { type Called, createDeclarations } from './declared/declarations.ts'
import { createListeners } from './listeners.ts'
import { measureGate } from './metrics/measure.ts'
import type { Channel } from './notify/channel.ts'
import { startDeliverer } from './notify/deliver.ts'
import { type People, peopleOf } from './people.ts'
import { type AnnounceOptions, createAnnounce, createWaiting } from './pipeline/waiting.ts'
import type { Probe } from './probe.ts'
import { isProduction } from './production.ts'
import type { CountersignOptions } from './proof/countersigned.ts'
import type { Strategy } from './strategy.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { createRegistry } from './tools/registry.ts'
import { createToolNotes } from './tools/tool-notes.ts'

export interface GateOptions extends AnnounceOptions {
  /** Or a function that gives the one in force now, where it can change. */
  readonly policy: Policy | (() => Policy)
  /** Governance files on top of those the policy has. They can only tighten. */
  readonly governance?: readonly Source[]
  readonly store: Store
  /** That of the store unless set. */
  readonly tenant?: string
  /** How long a caller waits for an answer: `'2m'`, or milliseconds. */
  readonly waitFor?: string | number
  /** Who people are now. The groups of the policy unless set. */
  readonly people?: People
  readonly validate?: Validate
  readonly authorize?: Authorize
  /** Where people hear of what waits for them and what became of it. */
  readonly channels?: readonly Channel[]
  /** Where people look at an approval: for the links in notices. */
  readonly link?: (id: string) => string | undefined
  /** Told in one line of what needs an operator, such as an undeliverable notice. */
  readonly report?: (line: string) => void
  /** For calls that go through several gates: so that people are asked once. */
  readonly countersign?: CountersignOptions
  /** Spans of asking, waiting, deciding, claiming and running. None unless set. */
  readonly telemetry?: Telemetry | undefined
  /** For tests: answers in place of people. */
  readonly strategy?: Strategy
}

/** For the tests of this package. Not part of the public API. */
export interface TestHooks {
  /** Called between two durable steps: a test crashes there. */
  readonly probe?: Probe
  /** Milliseconds between two looks at the clock while a caller waits. */
  readonly sweepEvery?: number
}

const SWEEP_EVERY = 2_000
const INBOX = 'npx countersign start'

export function createContext(options: GateOptions & TestHooks): GateContext {
  const { policy, store, validate, authorize, strategy, probe = () => {} } = options
  if (typeof policy !== 'function' && typeof policy?.level !== 'function') {
    throw new CountersignError('policy_invalid', 'a gate needs a policy', {
      hint: 'Pass createGate({ policy: parsePolicy({ owner: { file, text } }), store }).',
    })
  }
  if (typeof store?.apply !== 'function') {
    throw new CountersignError('store_unavailable', 'a gate needs a store it can write', {
      hint: 'Pass createGate({ policy, store: memoryStore() }), from countersign/memory, to try it, or a database.',
    })
  }
  if (options.tenant !== undefined && options.tenant !== store.tenant) {
    throw new CountersignError('usage', `the store belongs to tenant ${store.tenant}`, {
      hint: 'Open the store with the tenant of the gate.',
    })
  }
  if (strategy && isProduction()) {
    throw new CountersignError(
      'mode_refused',
      `${strategy.name} is for tests and refuses NODE_ENV=production`,
    )
  }
  const files = governed(policy, options.governance ?? [])
  const declarations = createDeclarations()
  const locks = lockCopy(store)
  const switched = () => switchedPolicy(files(), locks.switches)
  const current = (called?: Called) => declarations.over(switched(), called)
  const every = options.sweepEvery ?? SWEEP_EVERY
  const background = createBackground()
  const people = options.people ?? peopleOf(() => current())
  const listeners = createListeners()
  const meter = options.telemetry?.meter
  return {
    store,
    tenant: store.tenant,
    policy: current,
    releasedPolicy: (called) => declarations.released(switched(), called),
    declarations,
    people,
    locks,
    asked: createAskedTools(store, locks),
    validate,
    authorize,
    strategy,
    listeners,
    registry: createRegistry(createToolNotes(store, current, background)),
    waiting: createWaiting(() => startSweeper({ store, every, probe })),
    background,
    announce: createAnnounce(options, (id) => options.link?.(id) ?? store.inbox?.(id) ?? INBOX),
    waitFor: milliseconds(options.waitFor),
    countersign: options.countersign ?? {},
    deliverer: delivererOf(options, people, () => current()),
    probe,
    telemetry: options.telemetry,
    measuring: meter && measureGate(meter, store, listeners),
  }
}

function delivererOf(
  { store, channels = [], link, report, probe }: GateOptions & TestHooks,
  people: People,
  policy: () => Policy,
) {
  if (channels.length === 0) return undefined
  const names = channels.map(({ name }) => name)
  const wrong = names.find((name, index) => !CHANNEL.test(name) || names.indexOf(name) !== index)
  if (wrong !== undefined) {
    throw new CountersignError(
      'usage',
      `channels: ${JSON.stringify(wrong)} is not a name of its own`,
      {
        hint: 'Give each channel a different name of up to 128 letters, digits and .:_-',
      },
    )
  }
  return startDeliverer({
    store,
    channels,
    people,
    routing: {
      rules: () => policy().owner.notify,
      onCall: async (group, at) => people.onCall?.(group, at),
    },
    deputies: (approval) => deputiesFor({ store, people }, approval),
    admins: async () => (await people.admins?.()) ?? [],
    ...(link ? { link } : {}),
    ...(report ? { report } : {}),
    ...(probe ? { probe } : {}),
  })
}

const CHANNEL = /^[A-Za-z0-9._:-]{1,128}$/

/** The policy in force, under the gate's own governance. Combined again only when it changed. */
function governed(policy: GateOptions['policy'], governance: readonly Source[]): () => Policy {
  const given = typeof policy === 'function' ? policy : () => policy
  if (governance.length === 0) return given
  let from = given()
  let combined = withGovernance(from, governance)
  return () => {
    const now = given()
    if (now !== from) {
      combined = withGovernance(now, governance)
      from = now
    }
    return combined
  }
}

/** `'2m'` or milliseconds. A wait that cannot be understood must not become none at all. */
export function milliseconds(
  duration: string | number | undefined,
  name = 'waitFor',
): number | undefined {
  if (duration === undefined) return undefined
  if (typeof duration === 'string') {
    const parsed = parseDuration(duration)
    if (parsed.ok) return parsed.value
    throw new CountersignError('usage', `${name}: ${parsed.problem}`)
  }
  if (Number.isFinite(duration) && duration >= 0) return duration
  throw new CountersignError('usage', `${name}: milliseconds, or a text such as 2m`)
}
