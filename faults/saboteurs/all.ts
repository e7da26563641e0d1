import { ADAPTER_SABOTEURS } from './adapters.ts'
import { AGENT_SABOTEURS } from './agents.ts'
import { AI_SDK_SABOTEURS } from './ai-sdk.ts'
import { APPROVAL_SABOTEURS } from './approval.ts'
import { CHAT_SABOTEURS } from './chat.ts'
import { CHAT_MODEL_SABOTEURS } from './chat-models.ts'
import { DECLARATION_SABOTEURS } from './declarations.ts'
import { DEFINITION_SABOTEURS } from './definitions.ts'
import { GATE_SABOTEURS } from './gate.ts'
import { GRANT_SABOTEURS } from './grants.ts'
import { HOOK_SABOTEURS } from './hooks.ts'
import { MCP_SABOTEURS } from './mcp.ts'
import { MCP_SERVER_SABOTEURS } from './mcp-servers.ts'
import { MOUNTED_SABOTEURS } from './mounted.ts'
import { NOTIFICATION_SABOTEURS } from './notifications.ts'
import { OPERATE_SABOTEURS } from './operate.ts'
import { PEOPLE_SABOTEURS } from './people.ts'
import { PYTHON_SABOTEURS } from './python.ts'
import type { Saboteur } from './saboteur.ts'
import { SEARCH_SABOTEURS } from './search.ts'
import { SECRET_SABOTEURS } from './secrets.ts'
import { STORE_SABOTEURS } from './stores.ts'
import { STUDIO_SABOTEURS } from './studio.ts'
import { WORKFLOW_SABOTEURS } from './workflows.ts'

export const SABOTEURS: readonly Saboteur[] = [
  ...AGENT_SABOTEURS,
  ...AI_SDK_SABOTEURS,
  ...APPROVAL_SABOTEURS,
  ...STORE_SABOTEURS,
  ...SEARCH_SABOTEURS,
  ...GATE_SABOTEURS,
  ...DECLARATION_SABOTEURS,
  ...DEFINITION_SABOTEURS,
  ...GRANT_SABOTEURS,
  ...HOOK_SABOTEURS,
  ...MCP_SABOTEURS,
  ...MCP_SERVER_SABOTEURS,
  ...MOUNTED_SABOTEURS,
  ...OPERATE_SABOTEURS,
  ...PEOPLE_SABOTEURS,
  ...PYTHON_SABOTEURS,
  ...SECRET_SABOTEURS,
  ...NOTIFICATION_SABOTEURS,
  ...ADAPTER_SABOTEURS,
  ...CHAT_MODEL_SABOTEURS,
  ...STUDIO_SABOTEURS,
  ...CHAT_SABOTEURS,
  ...WORKFLOW_SABOTEURS,
]
