import { approvalContracts } from './routes/approvals.ts'
import { callContracts } from './routes/calls.ts'
import { channelContracts } from './routes/channels.ts'
import { chatContracts } from './routes/chat.ts'
import { deviceContracts } from './routes/devices.ts'
import { grantContracts } from './routes/grants.ts'
import { insightContracts } from './routes/insights.ts'
import { operationContracts } from './routes/operation.ts'
import { peopleContracts } from './routes/people.ts'
import { policyContracts } from './routes/policy.ts'
import { sessionContracts } from './routes/session.ts'
import { studioContracts } from './routes/studio.ts'
import { toolContracts } from './routes/tools.ts'

/** Every route there is. Validation, types, the OpenAPI document and the client come from here. */
export const CONTRACTS = {
  ...callContracts,
  ...approvalContracts,
  ...insightContracts,
  ...grantContracts,
  ...toolContracts,
  ...chatContracts,
  ...studioContracts,
  ...policyContracts,
  ...peopleContracts,
  ...channelContracts,
  ...deviceContracts,
  ...sessionContracts,
  ...operationContracts,
}

export type RouteName = keyof typeof CONTRACTS
export type ContractOf<N extends RouteName> = (typeof CONTRACTS)[N]
