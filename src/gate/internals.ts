import type { Approval } from '../approval/approval.ts'
import type { Call, Risk } from '../base/call.ts'
import type { Snapshot } from './content/arguments.ts'
import type { CallDeclaration, CodeWords } from './declared/declarations.ts'
import type { Access, Admitted } from './pipeline/access.ts'
import type { Checked, CheckOptions, Unasked } from './pipeline/check.ts'
import type { ClaimOptions, Countersigning, Finished, LeasedClaim } from './pipeline/lease.ts'
import type { MakePreview } from './preview/make-preview.ts'
import type { ToolDefinition } from './tool.ts'

/** Where a gate keeps what only this package uses. */
// Symbol.for, so adapters of a second copy of the package work with this one's gates.
export const internals: unique symbol = Symbol.for('countersign.internals')

/** What the code that makes a call says of it. */
export interface DeclaredOption {
  readonly declared?: CallDeclaration | undefined
}

/** Where a call stands, in what all gates say of it. */
export type Stands =
  | { readonly status: 'allowed' | 'approved' }
  | { readonly status: 'blocked' | 'pending'; readonly modelMessage: string }

/** What adapters need of every gate, wherever its approvals live. */
export interface AdapterInternals {
  /**
   * The status of a call that approval was asked for, or that policy denies; undefined where none
   * was asked for. Never asks.
   */
  asked(
    call: Call,
    options?: { readonly definition?: ToolDefinition | undefined } & DeclaredOption,
  ): Promise<Stands | undefined>
  /** Whether this call certainly needs no approval, where that can be said at once. */
  allows?(call: Call, options?: DeclaredOption): boolean
  /** Whether every call of this tool may run, whatever its arguments. */
  allowsAll(tool: string, options?: DeclaredOption): boolean
  /** Guarded from now on. `declared`: what its own calls are declared with, for people to see. */
  tool(
    name: string,
    definition?: ToolDefinition,
    options?: { readonly server?: string; readonly declared?: CodeWords },
  ): void
}

/** What doors and tests need of a gate in this process. */
export interface GateInternals extends AdapterInternals {
  asked(
    call: Call,
    options?: CheckOptions,
  ): Promise<Exclude<Checked, { readonly status: 'allowed' }> | undefined>
  /**
   * `check` for a caller elsewhere that makes previews: with the one it made, or `later`. Then a call
   * that needs a new question is not asked about yet.
   */
  previewed(
    call: Call,
    made: MakePreview | 'later',
    options?: CheckOptions,
  ): Promise<Checked | Unasked>
  /** What the policy says now; undefined where a person would have to be asked. Never asks. */
  judged(call: Call, options?: CheckOptions): Promise<Checked | undefined>
  /**
   * Records what the rules would have said of a call that runs regardless. Undefined where
   * governance asks all the same: it never asks itself.
   */
  observed(call: Call, options?: CheckOptions): Promise<Checked | undefined>
  /** Tools that other rules than the present ones asked about, or `*` for any: see `AskedTools`. */
  askedByOtherRules(): Promise<readonly string[]>
  /** A `false` says nothing: `check` finds out. */
  allows(call: Call, options?: DeclaredOption): boolean
  /**
   * For a call that was read from JSON, strictly, for this question alone: its arguments after the
   * tool's schema was applied, and their canonical text, if the call certainly needs no approval.
   * The caller sends them on at once. Undefined says nothing: `run` finds out.
   */
  allowedBytes(call: Call, definition?: ToolDefinition): Snapshot | undefined
  /**
   * For what a server has besides tools: its resources and prompts. Throws `locked` or
   * `denied_by_policy`; never asks. `ask`: the request is a call, for `run`.
   */
  admit(access: Access, declared?: () => Promise<Risk | undefined>): Promise<Admitted>
  /** For doors whose callers run the call themselves. Throws refusals. */
  claim(id: string, digest: string, options?: ClaimOptions): Promise<LeasedClaim>
  renew(claim: { id: string; claim: string; lease?: number }): Promise<Approval>
  finish(finished: Finished): Promise<Approval>
  /** The proof for the next gate, for the holder of a claim. Throws refusals. */
  countersign(claimed: Countersigning): Promise<string>
  /** Resolves when everything that ran is recorded, or was given up. */
  idle(): Promise<void>
}
