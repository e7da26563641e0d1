import type { Risk } from '../base/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { OnCall } from '../base/on-call/on-call.ts'
import type {
  Approver,
  Assurance,
  EditRule,
  Escalation,
  QuorumPart,
  ReasonRule,
} from '../base/oversight.ts'
import type { Condition } from './evaluate/condition.ts'
import type { Glob } from './evaluate/glob.ts'
import type { Path } from './evaluate/path.ts'
import type { Template } from './evaluate/template.ts'

/**
 * A policy file after loading: checked, every spelling turned into one, each rule with its name
 * and place. Nothing here is as the author typed it, so evaluation never meets a spelling.
 */
export interface PolicyDocument {
  /** The file's name as the user gave it. */
  readonly file: string
  /** `metadata.id` of an Agent Format file. */
  readonly agentId?: string
  readonly defaults: Defaults
  readonly groups: ReadonlyMap<string, Group>
  readonly tools: ReadonlyMap<string, ToolEntry>
  readonly servers: ReadonlyMap<string, ServerEntry>
  readonly localAgents: ReadonlyMap<string, AgentEntry>
  readonly remoteAgents: ReadonlyMap<string, ServerEntry>
  readonly governance: readonly GovernanceRule[]
  /** Asked about every call, besides the rules. */
  readonly pdp?: DecisionPoint
  readonly tests: readonly PolicyTest[]
  /** Of those that fit a person and a call, the first one counts. */
  readonly notify: readonly NotifyRule[]
  readonly limits: Limits
  /** How long arguments, reasons and results are kept, in milliseconds. */
  readonly retain?: number
  /** Things that load but deserve a look; `policy check` prints them. */
  readonly warnings: readonly Mistake[]
}

/** What stands in for an owner's file where there is none. */
export const NO_DOCUMENT: PolicyDocument = {
  file: '',
  defaults: {},
  groups: new Map(),
  tools: new Map(),
  servers: new Map(),
  localAgents: new Map(),
  remoteAgents: new Map(),
  governance: [],
  tests: [],
  notify: [],
  limits: {},
  warnings: [],
}

export type VerdictWord = 'allow' | 'confirm' | 'review' | 'deny'

export type Group = ({ readonly emails: readonly string[] } | { readonly claim: string }) & {
  /** Who of them is told first. All may decide. */
  readonly onCall?: OnCall
}

/** How long a no answers equal calls of the same run without asking again. */
export type DenialMemory = 'call' | 'run' | number

export interface Defaults {
  readonly undeclared?: VerdictWord
  readonly gateway?: VerdictWord
  readonly approvers?: readonly Approver[]
  readonly decideBy?: number
  readonly useBy?: number
  readonly waitFor?: number
  readonly minAssurance?: Assurance
  readonly edit?: EditRule
  readonly reason?: ReasonRule
  readonly rememberNo?: DenialMemory
}

/** Where something stands in its file; lines and columns start at 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Mistake {
  readonly place: Place
  /** `tools.pay.approval.condition.args_match.amount.above`; empty for the whole file. */
  readonly path: string
  /** Stable word for what is wrong: `unknown_key`, `wrong_type`, … */
  readonly kind: string
  readonly message: string
}

/** `approval` in any of its spellings. */
export type Declaration = Exemption | Ask

export interface Exemption {
  readonly asks: 'never'
  readonly rule: string
  readonly place: Place
}

/** Reasons that people are offered. What they say in the end is theirs. */
export interface ReasonPresets {
  readonly deny?: readonly string[]
  readonly approve?: readonly string[]
}

export interface Ask {
  readonly asks: 'when'
  /** `tools.pay.approval`: the name reasons carry. */
  readonly rule: string
  readonly place: Place
  readonly condition: Condition
  readonly template?: Template
  readonly approvers?: readonly Approver[]
  readonly quorum?: readonly QuorumPart[]
  readonly decideBy?: number
  readonly useBy?: number
  readonly remindAfter?: number
  readonly escalate?: readonly Escalation[]
  readonly reason?: ReasonRule
  readonly reasons?: ReasonPresets
  readonly edit?: EditRule
  readonly minAssurance?: Assurance
  readonly grants?: boolean
  readonly rememberNo?: DenialMemory
}

export interface ToolEntry {
  readonly name: string
  readonly approval?: Declaration
  /** In code, where one tool is declared several times: the other approvals, all of which count. */
  readonly besides?: readonly Declaration[]
  readonly risk?: Risk
  /** The highest risk that came without an approval, beside declarations that have one. */
  readonly riskAlone?: Risk
  /** `tools.pay.risk`: the name a reason carries when risk alone asks. */
  readonly riskRule: string
  readonly secrets: readonly Path[]
  readonly result: 'keep' | 'drop'
  readonly description?: string
  readonly place: Place
}

/** What `resources` and `prompts` of a server may say. */
export type AccessWord = 'allow' | 'confirm' | 'review' | 'deny'

/** An MCP server with its tools, or a remote agent with its skills. */
export interface ServerEntry {
  readonly alias: string
  /** `mcp_servers.files`: prefix of the names of its rules. */
  readonly rule: string
  readonly approval?: Declaration
  /** Answers where neither `approval` nor a switch does, in the place of `defaults.gateway`. */
  readonly unlessSwitched?: Declaration
  /** Present: nothing else of this server may be called. */
  readonly allowed?: ReadonlyMap<string, AllowedEntry>
  readonly risk?: Risk
  /** What reads of resources and uses of prompts get; see `accessVerdict` where it is absent. */
  readonly resources?: AccessWord
  readonly prompts?: AccessWord
  readonly description?: string
  readonly connection: Connection
  readonly place: Place
}

export interface AllowedEntry {
  readonly name: string
  readonly approval?: Declaration
  /** Declarations that count as well, as the flag of a tool whose server runs in this program. */
  readonly beside?: readonly Declaration[]
  readonly risk?: Risk
  readonly place: Place
}

export interface AgentEntry {
  readonly alias: string
  readonly rule: string
  readonly approval?: Declaration
  readonly source?: string
  readonly description?: string
  readonly place: Place
}

export interface Connection {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly serverRef?: string
}

export interface RiskMatch {
  readonly op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in'
  readonly risks: readonly Risk[]
}

export interface GovernanceRule {
  readonly id: string
  /** `governance.<id>` */
  readonly rule: string
  readonly tool?: Glob
  readonly server?: Glob
  readonly agent?: Glob
  /** All must hold; an unknown risk matches. */
  readonly risk?: readonly RiskMatch[]
  readonly condition: Condition
  readonly then: { readonly deny: string } | { readonly ask: Ask }
  readonly place: Place
}

/** A policy decision point that speaks AuthZEN. It can only tighten. */
export interface DecisionPoint {
  /** `pdp`, with the name of the file where it is not the owner's. */
  readonly rule: string
  /** Without a slash at its end. */
  readonly url: string
  /** The variable that holds its token. */
  readonly token?: string
  readonly timeout: number
  /** What becomes of a call when it cannot be asked. */
  readonly onError: 'deny' | 'review'
  readonly place: Place
}

export interface PolicyTest {
  readonly name: string
  /** As written; checked as a call when the test runs. */
  readonly call: JsonObject
  readonly expect: VerdictWord
  readonly message?: string
  readonly missing?: readonly string[]
  /** How a person of this group, or of none, is told of the call. */
  readonly told?: {
    readonly group?: string
    readonly by?: readonly string[]
    readonly atOnce?: boolean
  }
  readonly place: Place
}

/** How people are told of calls, unless they chose otherwise. */
export interface NotifyRule {
  /** For those who are in this group. */
  readonly group?: string
  readonly tool?: Glob
  readonly server?: Glob
  /** All must hold; an unknown risk matches. */
  readonly risk?: readonly RiskMatch[]
  /** In the order they are tried; the others come last. */
  readonly channels?: readonly string[]
  /** Milliseconds until the next channel tells of a question that is still open. */
  readonly nextAfter?: number
  /** People are told in their quiet hours, too, and not by a digest. */
  readonly atOnce?: boolean
  /** Whether the order that a person chose counts; true unless set. */
  readonly peopleChoose?: boolean
  readonly place: Place
}

export interface Limits {
  readonly pendingPerAgent?: number
  readonly asksPerMinute?: number
  readonly argsBytes?: number
  readonly argsDepth?: number
}
