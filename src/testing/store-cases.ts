import { observationCases } from './observation-cases.ts'
import { outboxCases } from './outbox-cases.ts'
import { recordCases } from './record-cases.ts'
import { auditCases } from './store-cases/audit.ts'
import { claimCases } from './store-cases/claim.ts'
import { contentCases } from './store-cases/content.ts'
import { decisionCases } from './store-cases/decision.ts'
import { grantCases } from './store-cases/grant.ts'
import { holdCases } from './store-cases/hold.ts'
import { identityCases } from './store-cases/identity.ts'
import { listCases } from './store-cases/list.ts'
import { lockCases } from './store-cases/lock.ts'
import { searchCases } from './store-cases/search.ts'
import { standInCases } from './store-cases/stand-in.ts'
import { statisticsCases } from './store-cases/statistics.ts'
import type { StoreCase } from './store-cases/store-case.ts'
import { timeCases } from './store-cases/time.ts'
import { waitCases } from './store-cases/wait.ts'
import { vaultCases } from './vault-cases.ts'

export const storeCases: readonly StoreCase[] = [
  ...identityCases,
  ...decisionCases,
  ...claimCases,
  ...grantCases,
  ...lockCases,
  ...standInCases,
  ...timeCases,
  ...waitCases,
  ...listCases,
  ...searchCases,
  ...contentCases,
  ...holdCases,
  ...auditCases,
  ...vaultCases,
  ...recordCases,
  ...outboxCases,
  ...observationCases,
  ...statisticsCases,
]
