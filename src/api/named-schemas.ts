import {
  AgentApproval,
  AgentApprovalRow,
  AgentPage,
  AllowedCall,
  AnswerBody,
  AskBody,
  AskedCall,
  BlockedCall,
  CallAnswer,
  CallBody,
  ClaimAnswer,
  ClaimBody,
  CountersignAnswer,
  CountersignBody,
  EditedCall,
  LookAnswer,
  PolicyBundle,
  RenewBody,
  ResultBody,
  UnaskedCall,
} from './agent.ts'
import {
  ApprovalCard,
  ApprovalPage,
  ApprovalRow,
  DecisionBody,
  EventList,
  Me,
  WireError,
  WireEvent,
} from './approval.ts'
import { ApprovalState, ExtendBody, ResolveBody, RevealBody, Revealed } from './approval-acts.ts'
import { AuditPage, ChainState } from './audit.ts'
import { AccessRequestBody, AccessTask } from './authzen/access-request.ts'
import {
  AuthzenAction,
  AuthzenClaim,
  AuthzenDecision,
  AuthzenDecisions,
  AuthzenMetadata,
  AuthzenResource,
  AuthzenSubject,
  EvaluationBody,
  EvaluationsBody,
} from './authzen/evaluation.ts'
import { Problem } from './authzen/problem.ts'
import {
  DeviceBody,
  DeviceList,
  NewDevice,
  RenewDeviceBody,
  RenewedDevice,
  SeenBody,
  SeenDevice,
  WireDevice,
} from './channels/devices.ts'
import {
  LinkCode,
  LinkCodeBody,
  LinkList,
  WireLink,
  WireLinkChannel,
  WireLinkClaim,
} from './channels/links.ts'
import { OnCallList, WireOnCall } from './channels/on-call.ts'
import { NotificationPreferences, NotificationSettings } from './channels/preferences.ts'
import {
  ChatOverview,
  ChatTools,
  ConversationView,
  NewConversation,
  NewMessage,
} from './chat/conversation.ts'
import { ModelServerBody, ModelServers, WireModelServer } from './chat/model-servers.ts'
import { Assurance, ExecutionState, RiskLevel, Status, WirePerson } from './common.ts'
import { HoldBody, HoldList, ReleaseBody, WireHold, WireHoldTarget } from './evidence/holds.ts'
import {
  GrantBody,
  GrantPage,
  GrantProposalAnswer,
  GrantUsePage,
  GrantWishBody,
  WireGrant,
  WireGrantRule,
} from './grant.ts'
import { ApprovalSummary } from './history/history.ts'
import { Insights, PersonFigures } from './history/insights.ts'
import { SavedView, SavedViewBody, SavedViewChange, SavedViewList } from './history/saved-views.ts'
import { AgentLocks, LockBody, LockList, WireLock } from './locks.ts'
import { NoticePage, Retried } from './notice.ts'
import {
  AuthorizationServer,
  ClientAnswerBody,
  ClientRedirect,
  ClientRequest,
  ClientRequestAnswer,
  ClientRequestBody,
  ConnectionList,
  OAuthError,
  OAuthTokens,
  ProtectedResource,
  WireConnection,
} from './oauth/oauth.ts'
import { PasskeyBody, PasskeyList, PasskeyOptions, PasskeyWish, WirePasskey } from './passkeys.ts'
import {
  AcceptInviteBody,
  InviteBody,
  InviteList,
  MadeInvite,
  WireInvite,
} from './people/invites.ts'
import {
  EndedSessions,
  ErasedPerson,
  MadeToken,
  NewTokenBody,
  PeopleList,
  PersonBody,
  RemovedPerson,
  RolesBody,
  TokenList,
  WireAccount,
  WireToken,
} from './people.ts'
import { Proposal, Proposals } from './policy/proposals.ts'
import {
  DraftBody,
  PolicyReplay,
  RuleBody,
  RuleClause,
  RuleDraft,
  RuleForm,
} from './policy/rules.ts'
import { PolicyVersion, PolicyVersions, RuleCounts } from './policy/versions.ts'
import { ApplyBody, ExplainedCall, FoundPolicyDraft, PolicyDraft, PolicyStatus } from './policy.ts'
import { ReportBody, RunPage, WireReport } from './runs/run.ts'
import type { Schema } from './schema.ts'
import {
  AcceptBody,
  PinnedTools,
  ServerList,
  TestedServer,
  TestServerBody,
  WireServer,
} from './servers.ts'
import {
  BegunLogin,
  LoginCode,
  LoginPending,
  LoginSecret,
  ProviderAddress,
  ProviderAnswer,
  SignedIn,
  SignInBody,
  SignInMethods,
} from './session.ts'
import { StandInBody, StandInList, WireStandIn } from './stand-ins.ts'
import {
  PublishAnswer,
  PublishBody,
  RunToolBody,
  SaveToolBody,
  SecretBody,
  StudioList,
  StudioRow,
  StudioTool,
  StudioVersion,
  WireToolRun,
  WireToolSpec,
} from './studio/studio.ts'
import { SwitchBody, SwitchList, WireSwitch } from './switches.ts'
import { Health, HookHello, KeySet, Readiness, StartedDemo } from './system.ts'

import {
  AssignableList,
  AssignBody,
  QuestionBody,
  Readers,
  RemarkBody,
  WireAssigned,
  WireQuestion,
  WireRemark,
} from './talk/talk.ts'

/*
 * Named in the OpenAPI document, so that generated clients have types of these names.
 *
 * Of no type of their own: written out once more, that would be the largest file of the package.
 */
type Named = Readonly<Record<string, Schema>>

/** The same in requests and responses. */
export const WORDS: Named = { Assurance, ExecutionState, RiskLevel, Status, ToolSpec: WireToolSpec }

export const RESPONSES: Named = {
  ...{ AllowedCall, BlockedCall, AskedCall, UnaskedCall, CallAnswer, LookAnswer },
  ...{ AgentApproval, AgentApprovalRow, AgentPage, ClaimAnswer, PolicyBundle },
  ...{ CountersignAnswer, EditedCall },
  ...{ AuthzenClaim, AuthzenDecision, AuthzenDecisions, AuthzenMetadata, AccessTask, Problem },
  ...{ ApprovalCard, ApprovalPage, ApprovalRow, ApprovalState, EventList, Revealed, Me },
  ...{ ApprovalSummary, AuditPage, ChainState, Insights, PersonFigures },
  ...{ Person: WirePerson, Event: WireEvent },
  ...{ RunPage, Report: WireReport },
  ...{ AssignableList, Readers, Question: WireQuestion, Remark: WireRemark },
  ...{ Assigned: WireAssigned, NotificationSettings },
  ...{ GrantPage, GrantUsePage, GrantProposalAnswer, Grant: WireGrant, GrantRule: WireGrantRule },
  ...{ AgentLocks, LockList, Lock: WireLock, HoldList, Hold: WireHold, HoldTarget: WireHoldTarget },
  ...{
    NoticePage,
    Retried,
    PeopleList,
    Account: WireAccount,
    EndedSessions,
    RemovedPerson,
    ErasedPerson,
  },
  ...{ TokenList, Token: WireToken, MadeToken },
  ...{ PasskeyList, Passkey: WirePasskey, PasskeyOptions },
  ...{ LinkList, Link: WireLink, LinkClaim: WireLinkClaim, LinkChannel: WireLinkChannel, LinkCode },
  ...{ DeviceList, Device: WireDevice, NewDevice, SeenDevice, RenewedDevice },
  ...{ SavedView, SavedViewList, InviteList, Invite: WireInvite, MadeInvite },
  ...{ SignedIn, SignInMethods, BegunLogin, LoginPending, ProviderAddress },
  ...{ Health, HookHello, KeySet, Readiness, StartedDemo },
  ...{ ExplainedCall, FoundPolicyDraft, PolicyDraft, PolicyStatus },
  ...{ RuleClause, RuleForm, RuleDraft, PolicyReplay },
  ...{ PolicyVersion, PolicyVersions, RuleCounts, Proposal, Proposals },
  ...{ ServerList, Server: WireServer, PinnedTools, TestedServer },
  ...{ OnCallList, OnCall: WireOnCall },
  ...{ ProtectedResource, AuthorizationServer, OAuthTokens, OAuthError },
  ...{ ClientRequest, ClientRequestAnswer, ClientRedirect },
  ...{ ConnectionList, Connection: WireConnection },
  ...{ StandInList, StandIn: WireStandIn, SwitchList, Switch: WireSwitch },
  ...{ PublishAnswer, StudioList, StudioTool, StudioVersion, StudioRow },
  ...{ ToolRun: WireToolRun },
  ...{ ChatOverview, ChatTools, Conversation: ConversationView },
  ...{ ModelServers, ModelServer: WireModelServer },
  Error: WireError,
}

export const REQUESTS: Named = {
  ...{ AskBody, CallBody, ClaimBody, CountersignBody, RenewBody, ResultBody, AnswerBody },
  ...{ EvaluationBody, EvaluationsBody, AccessRequestBody },
  ...{ RuleBody, DraftBody },
  ...{ AuthzenSubject, AuthzenAction, AuthzenResource },
  ...{ DecisionBody, ExtendBody, ResolveBody, RevealBody },
  ...{ QuestionBody, RemarkBody, AssignBody, ReportBody, NotificationPreferences },
  ...{
    GrantBody,
    GrantWishBody,
    LockBody,
    HoldBody,
    ReleaseBody,
    PasskeyBody,
    PasskeyWish,
    LinkCodeBody,
  },
  ...{ DeviceBody, RenewDeviceBody, SeenBody, SavedViewBody, SavedViewChange },
  ...{ InviteBody, AcceptInviteBody },
  ...{ NewTokenBody, PersonBody, RolesBody, ApplyBody, AcceptBody },
  ...{ LoginCode, LoginSecret, ProviderAnswer, SignInBody, StandInBody, SwitchBody },
  ...{ TestServerBody, ClientRequestBody, ClientAnswerBody },
  ...{
    ModelServerBody,
    NewConversation,
    NewMessage,
    PublishBody,
    RunToolBody,
    SaveToolBody,
    SecretBody,
  },
}
