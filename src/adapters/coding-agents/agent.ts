import type { JsonObject } from '../../base/json/json.ts'
import type { HookInput } from '../claude-code/hook-input.ts'

/** Coding agents that ask through a hook. The name is also the alias of the agent in policies. */
export const HOOK_AGENTS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'cursor',
  'copilot-cli',
  'opencode',
] as const

export type HookAgent = (typeof HOOK_AGENTS)[number]

/** What an agent calls the tools that come with it. Names not listed are checked as unknown tools. */
export interface ToolKinds {
  /** Write no file. */
  readonly readers: ReadonlySet<string>
  readonly shells: ReadonlySet<string>
  /** Write files that they name by a path; `contents` are the arguments with what they write. */
  readonly editors: ReadonlySet<string>
  readonly contents: ReadonlySet<string>
  /** Take one text that names the files it changes. */
  readonly patchers: ReadonlySet<string>
}

/** What Countersign answers. `undefined`: no objection, and the rules of the agent hold. */
export type Answer =
  | { readonly decision: 'allow'; readonly reason: string; readonly args: JsonObject }
  | { readonly decision: 'deny'; readonly reason: string }
  | undefined

type Named = Pick<HookInput, 'tool' | 'server' | 'args'>

/** One agent's wire format. Translation only: what is decided is the same for all of them. */
export interface CodingAgent {
  readonly name: HookAgent
  readonly title: string
  /** Set by the agent for its hooks; commands that it runs in a shell cannot change it. */
  readonly projectVariable?: string
  /** Whether a call has an id that comes again after it ran. Otherwise its arguments name it. */
  readonly namesCalls: boolean
  readonly tools: ToolKinds
  /** Throws on anything that is not exactly understood. `isAfter`: the command says that the call is over. */
  readonly read: (told: unknown, isAfter: boolean) => HookInput
  /** What is printed, or undefined for nothing. */
  readonly print: (answer: Answer) => JsonObject | undefined
  /** Whether the agent runs a call with these arguments instead of those it asked for. */
  readonly takesEdit: (call: Named, approved: JsonObject) => boolean
}
