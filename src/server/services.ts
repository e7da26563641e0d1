import type { Gate } from '../gate/gate.ts'
import type { Channel } from '../gate/notify/channel.ts'
import type { ToolNotes } from '../gate/tools/tool-notes.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import type { AuditCheck } from './audit-check.ts'
import type { Links } from './channels/links.ts'
import type { Devices } from './devices/devices.ts'
import type { EventHub } from './event-hub.ts'
import type { RefusedAttempts } from './evidence/refused-attempts.ts'
import type { DocsFiles } from './http/docs-files.ts'
import type { InboxFiles } from './http/inbox-files.ts'
import type { ClientAddress } from './http/origin.ts'
import type { RateLimit } from './http/rate-limit.ts'
import type { Credentials } from './identity/caller.ts'
import type { Membership } from './identity/membership.ts'
import type { Oidc } from './identity/oidc.ts'
import type { Passkeys } from './identity/passkeys.ts'
import type { SignInLinks } from './identity/sign-in.ts'
import type { Log } from './log.ts'
import type { ApprovalCounters } from './metrics/approval-counters.ts'
import type { Gauges } from './metrics/gauges.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { ActivePolicy } from './policy/active-policy.ts'
import type { Presence } from './presence.ts'
import type { Upstreams } from './upstreams.ts'
import type { ValidationMeter } from './validation-meter.ts'

/** Everything the routes work with. Made once, when a server starts. */
export interface Services {
  readonly version: string
  /** The owner's rules are recorded and not enforced. */
  readonly observing: boolean
  /** Tools are written and hosted here. */
  readonly hasStudio: boolean
  readonly store: Store
  readonly gate: Gate
  /** In force now, with what operators switched as of the last look at it. */
  readonly policy: () => Policy
  /** The same, after looking. */
  readonly policyNow: () => Promise<Policy>
  /** What would hold with these files: under what this program hosts and what operators switched. */
  readonly inForce: (files: Policy) => Policy
  /** Where the policy comes from, and how another one comes into force. */
  readonly active: ActivePolicy
  readonly credentials: Credentials
  readonly links: SignInLinks
  readonly membership: Membership
  /** Where people are told, and some of them answer. */
  readonly channels: readonly Channel[]
  /** Which accounts of chats answer for whom. */
  readonly channelLinks: Links
  /** Browsers that get push messages. */
  readonly devices: Devices
  readonly passkeys: Passkeys
  /** Sign-in with an OpenID Connect provider, where one was named. */
  readonly oidc: Oidc | undefined
  /** The record as a whole; absent where there is nothing to read it from. */
  readonly audit: AuditCheck | undefined
  readonly hub: EventHub
  /** Who has which card open. */
  readonly presence: Presence
  readonly metrics: Metrics
  readonly gauges: Gauges
  readonly approvalCounters: ApprovalCounters
  /** A request that sends it reads `/metrics`. */
  readonly metricsToken: string | undefined
  /** What was tried and not allowed, for the record. */
  readonly attempts: RefusedAttempts
  /** What the schemas that agents send may cost. */
  readonly meter: ValidationMeter
  /** What agents say of the tools they guard. */
  readonly notes: ToolNotes
  readonly log: Log
  /** What people open: with the base path, and a slash at its end. */
  readonly publicUrl: URL | undefined
  /** Where a request comes from, as the program that mounts this server knows it. */
  readonly clientAddress: ClientAddress | undefined
  /** Where this is mounted: empty at the root of its host, else such as `/approvals`. */
  readonly base: string
  readonly limits: {
    /** Wrong links by address, wrong codes by person. */
    readonly guesses: RateLimit
    /** Terminals that ask to be signed in, by address. */
    readonly terminals: RateLimit
    /** Sign-ins that begin with the provider, by address, which may be that of a whole office. */
    readonly providers: RateLimit
    /** Requests of agents, by token. */
    readonly calls: RateLimit
  }
  /** Fires when the server is about to stop: no request should wait for an answer any longer. */
  readonly stopping: AbortSignal
  /** The web inbox, where it was built. */
  readonly inbox: InboxFiles | undefined
  /** The documentation, where it is served. */
  readonly docs: DocsFiles | undefined
  /** The servers behind the gate; absent where there is no gateway. */
  readonly upstreams: Upstreams | undefined
  /** Whether the demo agent is offered. */
  readonly demo: boolean
}
