import type { JsonObject } from '../base/json/json.ts'
import type { AnswerBook } from '../gate/admin/answer-book.ts'
import type { Approvals } from '../gate/admin/approvals.ts'
import type { PreviewFunction } from '../gate/preview/previewing.ts'
import type { ToolGate } from '../gate/tool-gate.ts'

/** What an SDK can do. What it cannot is tested to refuse cleanly, and is said in the README. */
export interface AdapterSupports {
  /** Pauses, gives its caller back control, and goes on later. Otherwise calls wait inside. */
  readonly suspend: boolean
  /** Goes on in another process, from a text. */
  readonly elsewhere: boolean
  /** A pause inside a sub-agent reaches the code that runs the outer one. */
  readonly nestedPause: boolean
  /** An answer given through the SDK itself can count. */
  readonly inBand: boolean
  /** Some of the calls of one turn can go on while others still wait. */
  readonly partial: boolean
  /** The model reads the outcomes of one turn in the order of its calls. */
  readonly ordered: boolean
}

/**
 * What else can be tried with an SDK. `true`: the harness does it when the setup says so. A text:
 * why there is nothing to try, for the table of adapters.
 */
export interface AdapterTries {
  /** Tools may have every name, those of members of every object too. */
  readonly anyName: true | string
  /** Guards tools that are guarded for another run already: `AgentSetup.guardedFor`. */
  readonly guardsAgain: true | string
  /** The SDK's own approval setting of a tool: `AgentSetup.native`. */
  readonly native: true | string
  /** That setting as a function of the SDK's context: `AgentSetup.nativeByUser`. */
  readonly nativeByUser: true | string
  /** Hands work to another agent: `AdapterHarness.handOver`. */
  readonly handsOver: true | string
}

/** A tool that writes down what it ran with. */
export interface CaseTool {
  readonly description: string
  /** JSON Schema. */
  readonly schema: JsonObject
  run(args: JsonObject): unknown
}

export interface ModelCall {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
}

/** What the model answers in one turn. */
export type ModelTurn = { readonly calls: readonly ModelCall[] } | { readonly says: string }

export interface AgentSetup {
  readonly gate: ToolGate
  /** Of the gate; absent where answers in the chat must not count. */
  readonly approvals?: AnswerBook
  readonly run: string
  readonly mode: 'suspend' | 'block'
  readonly tools: Readonly<Record<string, CaseTool>>
  readonly turns: readonly ModelTurn[]
  /** What another agent had said of itself when it paused. */
  readonly state?: string
  /** The tools belong to a sub-agent that is called by this name; `turns` are its turns. */
  readonly nestedAs?: string
  /** The tools were guarded for this run before, and what that gave is guarded for `run`. */
  readonly guardedFor?: string
  /** What the SDK's own approval setting says of a tool, by name: whether it asks. */
  readonly native?: Readonly<Record<string, boolean>>
  /**
   * The SDK's own approval setting of this tool is a function that reads the user from the SDK's
   * context and asks unless that is `admin`. The run is made for `user`.
   */
  readonly nativeByUser?: { readonly tool: string; readonly user: string }
  /** What calls would do, by the name of the tool. */
  readonly previews?: Readonly<Record<string, PreviewFunction>>
}

export interface HandOverSetup extends Pick<AgentSetup, 'gate' | 'run' | 'mode'> {
  /**
   * The model hands work to `deputy` once for each, in turns of their own, under these ids of
   * calls. Ids are the model's, so one may come twice.
   */
  readonly ids: readonly string[]
}

export interface HandOver {
  readonly agent: ScriptedAgent
  /** Whether the hand-over suspends the run or blocks the call. */
  readonly waits: AgentSetup['mode']
  /** What the other agent was really given, each time, as a text. */
  readonly taken: readonly string[]
  /**
   * How a person changes the arguments that are shown, and what the other agent is given then.
   * `takes` undefined: the SDK cannot change a hand-over, so nothing is handed over.
   */
  readonly edit: { readonly args: JsonObject; readonly takes: string | undefined }
}

export interface ScriptedAgent {
  start(options?: { readonly signal?: AbortSignal }): Promise<Turned>
  /** Goes on after a pause: with what the gate says, and nothing else. */
  resume(): Promise<Turned>
  /** Goes on as an attacker would who claims that these calls were approved, or denied. */
  force?(claims: readonly Claim[]): Promise<Turned>
  /** Everything needed to resume in another process. */
  state(): string
}

export interface Claim {
  readonly call: ModelCall
  readonly approved: boolean
  /** The person behind it, where the application has authenticated them. */
  readonly by?: string
  /** Claimed for a call that never was asked about. */
  readonly invented?: true
}

export interface Turned {
  readonly status: 'done' | 'paused'
  /** What the model has read for each call, in its order. */
  readonly told: readonly { readonly id: string; readonly text: string }[]
}

export interface AdapterHarness {
  readonly name: string
  /** What the table of adapters cannot say, in full sentences. */
  readonly note?: string
  readonly supports: AdapterSupports
  readonly tries: AdapterTries
  /**
   * Its tools run in a program of its own: the gate is told of calls and not of schemas, and what a
   * tool says goes to the model without passing here.
   */
  readonly isOwnProgram?: true
  agent(setup: AgentSetup): ScriptedAgent
  handOver?(setup: HandOverSetup): HandOver
}

/** One gate with people, and what can happen to it. Each case gets a new one. */
export interface CaseWorld {
  readonly gate: ToolGate
  /** Another one on the same approvals, as another process would make it. */
  again(): ToolGate
  readonly approvals: Approvals
  /** Where answers in a chat are written down. */
  readonly answers: AnswerBook
  /** From now on the approvals cannot be reached. */
  breakDown(): void
  pass(ms: number): Promise<void>
}

/** Runner-agnostic: a case passes unless it throws. */
export interface AdapterCase {
  readonly name: string
  /** As the table of adapters names it. */
  readonly short: string
  /** Without this there is nothing to try: the case then only checks that nothing happens. */
  readonly needs?: keyof AdapterSupports
  /** The same for what a harness may say it cannot try. */
  readonly tries?: keyof AdapterTries
  run(harness: AdapterHarness, world: CaseWorld): Promise<void>
}

/**
 * `pay` asks and may be edited, `wire` asks others, `read` runs, `nuke` is denied. Handing work to
 * `deputy` asks.
 */
export const CASE_POLICY = `version: 1
defaults: { decide_by: 1h, use_by: 10m }
people: { groups: { finance: [ana@example.com, bo@example.com] } }
tools:
  pay: { approval: { edit: true } }
  wire: { approval: { approvers: [{ group: finance }] } }
  constructor: { approval: true }
local_agents:
  - { alias: deputy, approval: { edit: true } }
mcp_servers:
  - alias: files
    url: https://files.example.com
    allowed_tools: [{ name: look, approval: false }, { name: wipe, approval: true }]
governance:
  - { id: no-nukes, match: { tool: nuke }, deny: Nuking is forbidden }
`
