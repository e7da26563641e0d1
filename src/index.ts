/*
 * The public surface. A line added here is a promise to every user; it is easier to add than to
 * take away. Nothing here loads an SDK, a server or a native module.
 */

export type { Approval, Decision, ExecutionState, Status } from './approval/approval.ts'
export type { Person } from './approval/people/person.ts'
export type { AgentName, Call, CallKind, Risk } from './base/call.ts'
export { CountersignError, type ErrorCode, isCountersignError } from './base/errors.ts'
export type { Json, JsonObject } from './base/json/json.ts'
export type { Requirement, Terms } from './base/oversight.ts'
export type { Preview } from './base/preview/preview.ts'
export { createGate, type ServerGateOptions } from './client/create-gate.ts'
export type { RemoteGate, RemoteIdentity } from './client/remote-gate.ts'
export type { Answer, Approvals } from './gate/admin/approvals.ts'
export { type Sweeper, startSweeper } from './gate/background/sweep.ts'
export { CallBlocked, isCallBlocked } from './gate/call-blocked.ts'
export type { Authorize, Validate } from './gate/context.ts'
export type {
  ApprovalPredicate,
  CallDeclaration,
  CodeDeclaration,
} from './gate/declared/declarations.ts'
export type { Delegate, DelegateOptions } from './gate/delegate.ts'
export type { Admin, Gate, GateIdentity } from './gate/gate.ts'
export type { Guarded, GuardedCallOptions, GuardOptions } from './gate/guard.ts'
export { loadPolicy } from './gate/load-policy.ts'
export {
  type Channel,
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
  type Share,
} from './gate/notify/channel.ts'
export type { ChannelHost, ChatAccount } from './gate/notify/channel-host.ts'
export { type DecidedHandler, type OnDecidedOptions, onDecided } from './gate/notify/on-decided.ts'
export {
  type ApprovedRunner,
  type RunApprovedOptions,
  runApproved,
} from './gate/notify/run-approved.ts'
export type { GateOptions } from './gate/options.ts'
export type { Outcome } from './gate/outcome.ts'
export { groupsOf, type People } from './gate/people.ts'
export type { Checked } from './gate/pipeline/check.ts'
export type { PreviewContext, PreviewFunction } from './gate/preview/previewing.ts'
export { type Checkpoints, startCheckpoints } from './gate/proof/checkpoint.ts'
export type { Countersignature } from './gate/proof/countersignature.ts'
export {
  type CountersignatureProblem,
  type Verified,
  verifyCountersignature,
} from './gate/proof/countersignature-verify.ts'
export { openSigner, type PublicKey, publishedKeys, type Signer } from './gate/proof/keys.ts'
export type { CallOptions, RunOptions } from './gate/run-options.ts'
export type { Tool, ToolContext, ToolDefinition } from './gate/tool.ts'
export type { ToolGate } from './gate/tool-gate.ts'
export { readCall } from './policy/call.ts'
export type { Mistake, VerdictWord } from './policy/document.ts'
export { evaluate, verdictWord } from './policy/evaluate/evaluate.ts'
export { allowAll, annotated, custom, denyAll, type Mode, observe } from './policy/evaluate/mode.ts'
export type { Reason, Verdict } from './policy/evaluate/verdict.ts'
export type { ApprovalWords } from './policy/grammar/approval-words.ts'
export { definePolicy, type PolicyWords, type ToolRules } from './policy/load/define-policy.ts'
export { type PolicySources, parsePolicy } from './policy/load/parse-policy.ts'
export type { Policy } from './policy/policy.ts'
export { type Explanation, explain } from './policy/tooling/explain.ts'
export type { Store } from './store/store.ts'
