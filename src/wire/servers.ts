import type { WireSwitch } from './switches.ts'

/*
 * The servers behind the gate and their tools, as people see them over HTTP.
 */

type Word = 'allow' | 'confirm' | 'review' | 'deny'

/** `GET /v1/servers`. */
export interface ServerList {
  readonly servers: readonly WireServer[]
  /** Tools that belong to no server: those agents run themselves, behind a gate of theirs. */
  readonly own: readonly WireServerTool[]
  /** Whatever runs without asking, as far as it is known here; the gravest first. */
  readonly ways: readonly WireWay[]
  /** Since when calls are counted. */
  readonly countedSince: number
  readonly now: number
  /** What the reader may do. */
  readonly can: readonly ('switch' | 'accept' | 'look' | 'try')[]
}

/** A way past the people: something that lets calls run without asking. */
export interface WireWay {
  readonly kind: 'observe' | 'default' | 'server' | 'switch' | 'rule' | 'grant'
  readonly server?: string
  readonly tool?: string
  /** A clause about it: `runs without asking, and its risk is L4`. */
  readonly says: string
  /** What to do about it. */
  readonly fix: string
  /** `countersign.yaml:12`, where a file says so. */
  readonly at?: string
  /** Closes by itself then. */
  readonly until?: number
}

/** How often people were asked about a tool, of late. */
export interface WireCount {
  /** Includes those a grant let through. Calls that needed no approval are not counted. */
  readonly asked: number
  readonly approved: number
  readonly denied: number
}

export interface WireServer {
  readonly alias: string
  readonly description?: string
  /** `countersign.yaml:12`; absent where no file declares it. */
  readonly at?: string
  /** How it is reached, without secrets; absent where no file says how. */
  readonly reached?: string
  /** As of the last look. Absent: there was none since the start. */
  readonly seen?: {
    readonly at: number
    /** Why it could not be reached. */
    readonly problem?: string
    readonly name?: string
    readonly version?: string
    readonly notes: readonly string[]
  }
  /** What its tools get that nothing else speaks of. */
  readonly answer: WireAnswer
  readonly switch?: SwitchState
  readonly tools: readonly WireServerTool[]
}

export interface WireServerTool {
  readonly tool: string
  readonly title?: string
  readonly description?: string
  /** Absent where it is not rated. */
  readonly risk?: string
  /** What made it so: `operator`, `name`, `schema`, `annotations`, `nothing`. */
  readonly riskFrom: string
  /** The word that gave it away. */
  readonly riskSign?: string
  readonly state: 'pinned' | 'changed' | 'new' | 'gone' | 'unseen' | 'guarded' | 'called'
  /** For what changed, or is new and held back: what was, what is, and what to accept. */
  readonly change?: ToolChange
  readonly answer: WireAnswer
  readonly switch?: SwitchState
  /** Give or take a minute. */
  readonly usedAt?: number
  /** The entry points it was seen at: `mcp`, `hook`, `http`, `in-process`. */
  readonly doors: readonly string[]
  readonly lately: WireCount
  readonly inputSchema?: unknown
  /** What each agent that guards it says of it, where it is no tool of a server in a file. */
  readonly agents?: readonly WireAgentTool[]
}

/** One agent's own definition of a tool. Another agent's tool of the same name is another tool. */
export interface WireAgentTool {
  /** Absent where a gate speaks for no agent in particular. */
  readonly agent?: string
  readonly door: string
  readonly description?: string
  /** Digest of the definition. */
  readonly definition: string
}

export interface ToolChange {
  readonly id: string
  readonly from: string
  readonly to: string
  /** As JSON, a line for each key. Absent where it is too large to keep. */
  readonly before?: string
  readonly after?: string
}

/** What a call gets, and which rule says so. */
export interface WireAnswer {
  readonly verdict: Word
  /** It depends on the arguments; `verdict` is the strictest. */
  readonly depends: boolean
  readonly source: string
  readonly rule: string
  /** `countersign.yaml:12`, where the rule stands in a file. */
  readonly at?: string
}

export interface SwitchState {
  /** Absent: it was not switched. */
  readonly set?: WireSwitch
  /** A file decides, and this is where. */
  readonly fixed?: { readonly rule: string; readonly at: string }
  /** What switching it would give. */
  readonly on: SwitchOffer
  readonly off: SwitchOffer
  readonly clear: SwitchOffer
}

export interface SwitchOffer {
  readonly after: Word
  readonly lowers: boolean
}
