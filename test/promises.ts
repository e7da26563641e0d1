import { ADK_RS } from './promises/adk-rs.ts'
import { AGENT_FORMAT } from './promises/agent-format.ts'
import { ATMOSPHERE } from './promises/atmosphere.ts'
import { CLOUDFLARE_AGENTS } from './promises/cloudflare-agents.ts'
import { COUNTERSIGN } from './promises/countersign.ts'
import { COUNTERSIGN_ADAPTERS } from './promises/countersign-adapters.ts'
import { COUNTERSIGN_GATE } from './promises/countersign-gate.ts'
import { COUNTERSIGN_GRANTS } from './promises/countersign-grants.ts'
import { COUNTERSIGN_HOOKS } from './promises/countersign-hooks.ts'
import { COUNTERSIGN_INBOX } from './promises/countersign-inbox.ts'
import { COUNTERSIGN_LOCKS } from './promises/countersign-locks.ts'
import { COUNTERSIGN_MCP } from './promises/countersign-mcp.ts'
import { COUNTERSIGN_PASSKEYS } from './promises/countersign-passkeys.ts'
import { COUNTERSIGN_PEOPLE } from './promises/countersign-people.ts'
import { COUNTERSIGN_PROOF } from './promises/countersign-proof.ts'
import { COUNTERSIGN_SECRETS } from './promises/countersign-secrets.ts'
import { COUNTERSIGN_SERVER } from './promises/countersign-server.ts'
import { COUNTERSIGN_SERVERS } from './promises/countersign-servers.ts'
import { COUNTERSIGN_TOLD } from './promises/countersign-told.ts'
import { SPRING_AI_PLAYGROUND } from './promises/spring-ai-playground.ts'

/**
 * Everything a user can rely on. Tests cite these by id with `promise()`; a test fails when one is
 * uncited. To add one: write its sentence in the file of its source, then the test that keeps it.
 */
export const PROMISES = {
  ...AGENT_FORMAT,
  ...ATMOSPHERE,
  ...SPRING_AI_PLAYGROUND,
  ...ADK_RS,
  ...CLOUDFLARE_AGENTS,
  ...COUNTERSIGN,
  ...COUNTERSIGN_GATE,
  ...COUNTERSIGN_INBOX,
  ...COUNTERSIGN_MCP,
  ...COUNTERSIGN_ADAPTERS,
  ...COUNTERSIGN_GRANTS,
  ...COUNTERSIGN_HOOKS,
  ...COUNTERSIGN_LOCKS,
  ...COUNTERSIGN_PASSKEYS,
  ...COUNTERSIGN_PEOPLE,
  ...COUNTERSIGN_PROOF,
  ...COUNTERSIGN_SERVER,
  ...COUNTERSIGN_SERVERS,
  ...COUNTERSIGN_SECRETS,
  ...COUNTERSIGN_TOLD,
}

export type PromiseId = keyof typeof PROMISES
