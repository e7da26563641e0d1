import { COUNTERSIGN } from './countersign.ts'
import { COUNTERSIGN_ADAPTERS } from './countersign-adapters.ts'
import { COUNTERSIGN_CHAT_APPS } from './countersign-chat-apps.ts'
import { COUNTERSIGN_CIBA } from './countersign-ciba.ts'
import { COUNTERSIGN_FORMS } from './countersign-forms.ts'
import { COUNTERSIGN_GATE } from './countersign-gate.ts'
import { COUNTERSIGN_GRANTS } from './countersign-grants.ts'
import { COUNTERSIGN_HOOKS } from './countersign-hooks.ts'
import { COUNTERSIGN_INBOX } from './countersign-inbox.ts'
import { COUNTERSIGN_LOCKS } from './countersign-locks.ts'
import { COUNTERSIGN_MCP } from './countersign-mcp.ts'
import { COUNTERSIGN_NOTIFICATIONS } from './countersign-notifications.ts'
import { COUNTERSIGN_PASSKEYS } from './countersign-passkeys.ts'
import { COUNTERSIGN_PEOPLE } from './countersign-people.ts'
import { COUNTERSIGN_PREVIEWS } from './countersign-previews.ts'
import { COUNTERSIGN_PROOF } from './countersign-proof.ts'
import { COUNTERSIGN_PYTHON } from './countersign-python.ts'
import { COUNTERSIGN_RULES } from './countersign-rules.ts'
import { COUNTERSIGN_SECRETS } from './countersign-secrets.ts'
import { COUNTERSIGN_SERVER } from './countersign-server.ts'
import { COUNTERSIGN_SERVERS } from './countersign-servers.ts'
import { COUNTERSIGN_TALK } from './countersign-talk.ts'
import { COUNTERSIGN_WORKFLOWS } from './countersign-workflows.ts'
import { COUNTERSIGN_OPERATIONS } from './operations/countersign-operations.ts'
import { ADK_RS } from './seeds/adk-rs.ts'
import { AGENT_FORMAT } from './seeds/agent-format.ts'
import { ATMOSPHERE } from './seeds/atmosphere.ts'
import { CLOUDFLARE_AGENTS } from './seeds/cloudflare-agents.ts'
import { SPRING_AI_PLAYGROUND } from './seeds/spring-ai-playground.ts'
import { COUNTERSIGN_A2A } from './standards/countersign-a2a.ts'
import { COUNTERSIGN_ACP } from './standards/countersign-acp.ts'
import { COUNTERSIGN_AG_UI } from './standards/countersign-ag-ui.ts'
import { COUNTERSIGN_AUTHZEN } from './standards/countersign-authzen.ts'
import { COUNTERSIGN_OAUTH } from './standards/countersign-oauth.ts'
import { COUNTERSIGN_TASKS } from './standards/countersign-tasks.ts'

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
  ...COUNTERSIGN_AUTHZEN,
  ...COUNTERSIGN_OAUTH,
  ...COUNTERSIGN_TASKS,
  ...COUNTERSIGN_GRANTS,
  ...COUNTERSIGN_AG_UI,
  ...COUNTERSIGN_ACP,
  ...COUNTERSIGN_A2A,
  ...COUNTERSIGN_HOOKS,
  ...COUNTERSIGN_LOCKS,
  ...COUNTERSIGN_OPERATIONS,
  ...COUNTERSIGN_PASSKEYS,
  ...COUNTERSIGN_PEOPLE,
  ...COUNTERSIGN_PREVIEWS,
  ...COUNTERSIGN_PROOF,
  ...COUNTERSIGN_PYTHON,
  ...COUNTERSIGN_SERVER,
  ...COUNTERSIGN_SERVERS,
  ...COUNTERSIGN_RULES,
  ...COUNTERSIGN_SECRETS,
  ...COUNTERSIGN_NOTIFICATIONS,
  ...COUNTERSIGN_CHAT_APPS,
  ...COUNTERSIGN_CIBA,
  ...COUNTERSIGN_WORKFLOWS,
  ...COUNTERSIGN_FORMS,
  ...COUNTERSIGN_TALK,
}

export type PromiseId = keyof typeof PROMISES
