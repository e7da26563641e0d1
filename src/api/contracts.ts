import { approvalContracts } from './routes/approvals.ts'
import { authzenContracts } from './routes/authzen.ts'
import { callContracts } from './routes/calls.ts'
import { channelContracts } from './routes/channels.ts'
import { chatContracts } from './routes/chat.ts'
import { deviceContracts } from './routes/devices.ts'
import { grantContracts } from './routes/grants.ts'
import { holdContracts } from './routes/holds.ts'
import { insightContracts } from './routes/insights.ts'
import { inviteContracts } from './routes/invites.ts'
import { oauthContracts } from './routes/oauth.ts'
import { operationContracts } from './routes/operation.ts'
import { peopleContracts } from './routes/people.ts'
import { policyContracts } from './routes/policy.ts'
import { runContracts } from './routes/runs.ts'
import { savedViewContracts } from './routes/saved-views.ts'
import { sessionContracts } from './routes/session.ts'
import { studioContracts } from './routes/studio.ts'
import { talkContracts } from './routes/talk.ts'
import { toolContracts } from './routes/tools.ts'

/** Every route there is. Validation, types, the OpenAPI document and the client come from here. */
export const CONTRACTS = {
  ...callContracts,
  ...authzenContracts,
  ...approvalContracts,
  ...talkContracts,
  ...runContracts,
  ...insightContracts,
  ...grantContracts,
  ...toolContracts,
  ...chatContracts,
  ...studioContracts,
  ...policyContracts,
  ...peopleContracts,
  ...inviteContracts,
  ...channelContracts,
  ...deviceContracts,
  ...oauthContracts,
  ...savedViewContracts,
  ...sessionContracts,
  ...holdContracts,
  ...operationContracts,
}

export type RouteName = keyof typeof CONTRACTS
export type ContractOf<N extends RouteName> = (typeof CONTRACTS)[N]
