import { ADAPTER_SABOTEURS } from './adapters.ts'
import { AGENT_SABOTEURS } from './agents.ts'
import { AI_SDK_SABOTEURS } from './ai-sdk.ts'
import { APPROVAL_SABOTEURS } from './approval.ts'
import { CHAT_SABOTEURS } from './chat/chat.ts'
import { CHAT_APP_SABOTEURS } from './chat/chat-apps.ts'
import { CHAT_MODEL_SABOTEURS } from './chat/chat-models.ts'
import { CIBA_SABOTEURS } from './chat/ciba.ts'
import { DISCORD_SABOTEURS } from './chat/discord.ts'
import { TEAMS_SABOTEURS } from './chat/teams.ts'
import { DECLARATION_SABOTEURS } from './declarations.ts'
import { DEFINITION_SABOTEURS } from './definitions.ts'
import { EVIDENCE_SABOTEURS } from './evidence/evidence.ts'
import { GROWTH_SABOTEURS } from './evidence/growth.ts'
import { HOLD_SABOTEURS } from './evidence/holds.ts'
import { KEY_SABOTEURS } from './evidence/keys.ts'
import { REPORT_SABOTEURS } from './evidence/reports.ts'
import { STREAM_SABOTEURS } from './evidence/streams.ts'
import { WATCH_SABOTEURS } from './evidence/watch.ts'
import { GATE_SABOTEURS } from './gate.ts'
import { GRANT_SABOTEURS } from './grants.ts'
import { HOOK_SABOTEURS } from './hooks.ts'
import { INBOX_SABOTEURS } from './inbox.ts'
import { MCP_SABOTEURS } from './mcp.ts'
import { MCP_SERVER_SABOTEURS } from './mcp-servers.ts'
import { MOUNTED_SABOTEURS } from './mounted.ts'
import { NOTIFICATION_SABOTEURS } from './notifications.ts'
import { OPERATE_SABOTEURS } from './operate.ts'
import { PEOPLE_SABOTEURS } from './people.ts'
import { RULE_SABOTEURS } from './policy/rules.ts'
import { PREVIEW_SABOTEURS } from './previews.ts'
import { PYTHON_SABOTEURS } from './python.ts'
import type { Saboteur } from './saboteur.ts'
import { SEARCH_SABOTEURS } from './search.ts'
import { SECRET_SABOTEURS } from './secrets.ts'
import { SPEED_SABOTEURS } from './speed.ts'
import { A2A_SABOTEURS } from './standards/a2a.ts'
import { ACP_SABOTEURS } from './standards/acp.ts'
import { AUTHZEN_SABOTEURS } from './standards/authzen.ts'
import { MCP_SIGN_IN_SABOTEURS } from './standards/mcp-sign-ins.ts'
import { OAUTH_SABOTEURS } from './standards/oauth.ts'
import { TASK_SABOTEURS } from './standards/tasks.ts'
import { STORE_SABOTEURS } from './stores.ts'
import { STUDIO_SABOTEURS } from './studio.ts'
import { HELD_SABOTEURS } from './talk/held.ts'
import { ON_CALL_SABOTEURS } from './talk/on-call.ts'
import { TALK_SABOTEURS } from './talk/talk.ts'
import { INTERRUPT_SABOTEURS } from './waiting/interrupts.ts'
import { WAITING_SABOTEURS } from './waiting/waiting.ts'
import { WAIT_SABOTEURS } from './waiting/waits.ts'
import { WORKFLOW_SABOTEURS } from './waiting/workflows.ts'

export const SABOTEURS: readonly Saboteur[] = [
  ...AGENT_SABOTEURS,
  ...AI_SDK_SABOTEURS,
  ...APPROVAL_SABOTEURS,
  ...AUTHZEN_SABOTEURS,
  ...OAUTH_SABOTEURS,
  ...A2A_SABOTEURS,
  ...ACP_SABOTEURS,
  ...TASK_SABOTEURS,
  ...STORE_SABOTEURS,
  ...SEARCH_SABOTEURS,
  ...SPEED_SABOTEURS,
  ...GATE_SABOTEURS,
  ...DECLARATION_SABOTEURS,
  ...DEFINITION_SABOTEURS,
  ...GRANT_SABOTEURS,
  ...GROWTH_SABOTEURS,
  ...HOOK_SABOTEURS,
  ...INBOX_SABOTEURS,
  ...MCP_SABOTEURS,
  ...MCP_SERVER_SABOTEURS,
  ...MCP_SIGN_IN_SABOTEURS,
  ...MOUNTED_SABOTEURS,
  ...OPERATE_SABOTEURS,
  ...EVIDENCE_SABOTEURS,
  ...HOLD_SABOTEURS,
  ...WATCH_SABOTEURS,
  ...REPORT_SABOTEURS,
  ...KEY_SABOTEURS,
  ...STREAM_SABOTEURS,
  ...TALK_SABOTEURS,
  ...HELD_SABOTEURS,
  ...ON_CALL_SABOTEURS,
  ...PEOPLE_SABOTEURS,
  ...PYTHON_SABOTEURS,
  ...RULE_SABOTEURS,
  ...PREVIEW_SABOTEURS,
  ...SECRET_SABOTEURS,
  ...NOTIFICATION_SABOTEURS,
  ...ADAPTER_SABOTEURS,
  ...INTERRUPT_SABOTEURS,
  ...CHAT_MODEL_SABOTEURS,
  ...STUDIO_SABOTEURS,
  ...CHAT_SABOTEURS,
  ...CHAT_APP_SABOTEURS,
  ...CIBA_SABOTEURS,
  ...DISCORD_SABOTEURS,
  ...TEAMS_SABOTEURS,
  ...WAITING_SABOTEURS,
  ...WAIT_SABOTEURS,
  ...WORKFLOW_SABOTEURS,
]
