import type { HookInput } from '../../adapters/claude-code/hook-input.ts'
import type { HookAgent } from '../../adapters/coding-agents/agent.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** What the hook sends to a running server. */
export interface HookQuestion {
  readonly agent: HookAgent
  /** Before a call: what the agent sent, as text. */
  readonly input?: string
  /** After one: which call it was, and how it ended. */
  readonly ended?: EndedCall
  /** The policies that apply, as they are on disk. Those that the server does not go by only tighten. */
  readonly policies: readonly PolicyTexts[]
  /** How long it may be kept waiting, in milliseconds. */
  readonly wait: number
  /** The question it waited for before. */
  readonly waited?: string
}

export type EndedCall = Pick<HookInput, 'event' | 'session' | 'attempt'>

export interface PolicyTexts {
  readonly owner?: PolicyText
  readonly governance: readonly PolicyText[]
}

export interface PolicyText {
  readonly file: string
  readonly text: string
}

export type HookReply =
  | { readonly status: 'answer'; readonly output?: JsonObject }
  | { readonly status: 'pending'; readonly approval: string; readonly inbox: string }
  /** A policy that the server does not go by is stricter: the hook decides by itself. */
  | { readonly status: 'elsewhere' }
  | {
      readonly status: 'error'
      readonly code: string
      readonly message: string
      readonly hint?: string
    }
