/*
 * The public surface. A line added here is a promise to every user; it is easier to add than to
 * take away. Nothing here loads an SDK, a server or a native module.
 */

export type { Approval, Decision, ExecutionState, Status } from './approval/approval.ts'
export type { Person } from './approval/person.ts'
export type { AgentName, Call, CallKind } from './base/call.ts'
export { CountersignError, type ErrorCode, isCountersignError } from './base/errors.ts'
export type { Json, JsonObject } from './base/json.ts'
export type { Requirement, Terms } from './base/oversight.ts'
export type { Risk } from './base/risk.ts'
export type { AnyGate } from './gate/any-gate.ts'
export type { Answer, Approvals } from './gate/approvals.ts'
export { CallBlocked, isCallBlocked } from './gate/call-blocked.ts'
export { type Channel, NotDelivered, type Notice } from './gate/channel.ts'
export type { Checked } from './gate/check.ts'
export { type Checkpoints, startCheckpoints } from './gate/checkpoint.ts'
export type { Authorize, Validate } from './gate/core.ts'
export type { Countersignature } from './gate/countersignature.ts'
export {
  type CountersignatureProblem,
  type Verified,
  verifyCountersignature,
} from './gate/countersignature-verify.ts'
export type { ApprovalPredicate, CallDeclaration, CodeDeclaration } from './gate/declarations.ts'
export type { Delegate, DelegateOptions } from './gate/delegate.ts'
export { type Admin, createGate, type Gate, type GateIdentity } from './gate/gate.ts'
export type { GateOptions } from './gate/gate-options.ts'
export type { Guarded, GuardedCallOptions, GuardOptions } from './gate/guard.ts'
export { openSigner, type PublicKey, publishedKeys, type Signer } from './gate/keys.ts'
export { loadPolicy } from './gate/load-policy.ts'
export { type DecidedHandler, type OnDecidedOptions, onDecided } from './gate/on-decided.ts'
export type { Outcome } from './gate/outcome.ts'
export { groupsOf, type People } from './gate/people.ts'
export type { RunOptions } from './gate/run.ts'
export { type Sweeper, startSweeper } from './gate/sweep.ts'
export type { Tool, ToolContext, ToolDefinition } from './gate/tool.ts'
export type { ApprovalWords } from './policy/approval-words.ts'
export { readCall } from './policy/call.ts'
export { definePolicy, type PolicyWords, type ToolRules } from './policy/define-policy.ts'
export type { Mistake, VerdictWord } from './policy/document.ts'
export { evaluate, verdictWord } from './policy/evaluate.ts'
export { type Explanation, explain } from './policy/explain.ts'
export { allowAll, annotated, custom, denyAll, type Mode, observe } from './policy/mode.ts'
export { type PolicySources, parsePolicy } from './policy/parse-policy.ts'
export type { Policy } from './policy/policy.ts'
export type { Reason, Verdict } from './policy/verdict.ts'
export type { Store } from './store/store.ts'
