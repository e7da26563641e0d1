/** The policy grammar and the call, as plain parsed objects: nothing compiled, nothing renamed. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export type Scalar = string | number | boolean
export type Level = 'allow' | 'confirm' | 'review' | 'deny'
export type Risk = 'L0' | 'L1' | 'L2' | 'L3' | 'L4' | 'L5'
export type Assurance = 'elicitation' | 'chat' | 'signed-in' | 'passkey'
export type ReasonNeed = 'optional' | 'required' | 'required_always'
export type Edit = boolean | string[]

export type Operators = {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
  ne?: Scalar
  in?: Scalar[]
  not_in?: Scalar[]
  pattern?: string
}
export type Matcher = Scalar | Operators
export type ConditionGroup = { args_match?: { [path: string]: Matcher } }
export type Condition = ConditionGroup | ConditionGroup[]

export type Approver = string | { group: string }
export type QuorumPlace = { group: string; n: number }
export type Escalation = { after: string; to: Approver; for?: string }

export type ApprovalObject = {
  message_template?: string
  condition?: Condition
  approvers?: Approver[]
  quorum?: QuorumPlace[]
  decide_by?: string
  use_by?: string
  remind_after?: string
  escalate?: Escalation[]
  reason?: ReasonNeed
  edit?: Edit
  min_assurance?: Assurance
  grants?: boolean
}
export type Approval = boolean | ApprovalObject
export type HumanInTheLoop = { mode: 'REQUIRED' | 'DISABLED'; promptTemplate?: string }

export type Tool = {
  approval?: Approval
  humanInTheLoop?: HumanInTheLoop
  risk?: Risk
  secrets?: string[]
  result?: 'keep' | 'drop'
  description?: string
}
export type Tools = { [name: string]: Tool }

export type AllowedEntry =
  | string
  | {
      name?: string
      id?: string
      approval?: Approval
      humanInTheLoop?: HumanInTheLoop
      risk?: Risk
    }

export type Server = {
  alias: string
  description?: string
  command?: string
  args?: string[]
  url?: string
  server_ref?: string
  approval?: Approval
  allowed_tools?: AllowedEntry[]
  risk?: Risk
}
export type LocalAgent = {
  alias: string
  source?: string
  description?: string
  approval?: Approval
}
export type RemoteAgent = {
  alias: string
  url?: string
  description?: string
  approval?: Approval
  allowed_skills?: AllowedEntry[]
}

export type RiskOperators = {
  gt?: Risk
  gte?: Risk
  lt?: Risk
  lte?: Risk
  ne?: Risk
  in?: Risk[]
  not_in?: Risk[]
}
export type Match = { tool?: string; server?: string; agent?: string; risk?: Risk | RiskOperators }
export type GovernanceRule = {
  id: string
  match?: Match
  condition?: Condition
  deny?: string
  approval?: true | ApprovalObject
}

export type Defaults = {
  undeclared?: Level
  gateway?: Level
  approvers?: Approver[]
  decide_by?: string
  use_by?: string
  wait_for?: string
  min_assurance?: Assurance
  edit?: Edit
  reason?: ReasonNeed
}
export type People = { groups: { [name: string]: string[] | { claim: string } } }

export type OwnerDocument = {
  version: 1
  defaults?: Defaults
  people?: People
  tools?: Tools
  mcp_servers?: Server[]
  local_agents?: LocalAgent[]
  remote_agents?: RemoteAgent[]
  governance?: GovernanceRule[]
}
export type GovernanceDocument = { version: 1; people?: People; governance: GovernanceRule[] }

export type Mode =
  | { kind: 'annotated' }
  | { kind: 'denyAll' }
  | { kind: 'allowAll' }
  | { kind: 'answered'; answer: boolean | Level }

export type Call = {
  kind?: 'tool' | 'agent' | 'skill'
  tool: string
  server?: string
  agent?: string | { alias?: string; id?: string }
  run?: string
  key?: string
  risk?: Risk
  args: JsonObject
  parent?: { input: Json }
}

export type EvaluationInput = {
  owner: OwnerDocument
  governance: GovernanceDocument[]
  code?: Tools
  switches?: { [place: string]: boolean }
  mode?: Mode
}
