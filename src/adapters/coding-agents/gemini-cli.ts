import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { HookInput } from '../claude-code/hook-input.ts'
import type { CodingAgent } from './agent.ts'
import { keepsKeys, LONGEST_PATH, nameByArguments, readerFor } from './reading.ts'

const from = readerFor('Gemini CLI')
const EVENTS = { BeforeTool: 'PreToolUse', AfterTool: 'PostToolUse' } as const

function read(told: unknown): HookInput {
  const input = from.object(told, 'it')
  const event = from.event(input, 'hook_event_name', EVENTS)
  const args = from.args(input.tool_input, 'tool_input')
  const named = nameOf(input)
  const response = input.tool_response
  // Compared by their presence: a tool that failed says so beside what the model reads.
  const hasFailed =
    isPlainObject(response) && response.error !== undefined && response.error !== null
  return {
    agent: 'gemini-cli',
    event: event === 'PostToolUse' && hasFailed ? 'PostToolUseFailure' : event,
    session: from.text(input, 'session_id'),
    cwd: from.text(input, 'cwd', LONGEST_PATH),
    ...named,
    args,
    attempt: nameByArguments(named, args),
  }
}

/** Only Gemini CLI itself says which server a tool is of: the name is the server's to choose. */
function nameOf(input: Readonly<Record<string, unknown>>): { tool: string; server?: string } {
  const tool = from.text(input, 'tool_name')
  if (input.mcp_context === undefined) return { tool }
  const context = from.object(input.mcp_context, 'mcp_context')
  return { server: from.text(context, 'server_name'), tool: from.text(context, 'tool_name') }
}

export const GEMINI_CLI: CodingAgent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  projectVariable: 'GEMINI_PROJECT_DIR',
  namesCalls: false,
  tools: {
    readers: new Set([
      ...['read_file', 'read_many_files', 'glob', 'grep_search', 'list_directory'],
      ...['google_web_search', 'web_fetch', 'write_todos', 'get_internal_docs', 'ask_user'],
    ]),
    shells: new Set(['run_shell_command']),
    editors: new Set(['write_file', 'replace']),
    contents: new Set(['content', 'old_string', 'new_string', 'instruction']),
    patchers: new Set(),
  },
  read,
  print: (answer): JsonObject | undefined => {
    if (answer === undefined) return undefined
    const { decision, reason } = answer
    if (decision === 'deny') return { decision, reason }
    return {
      decision,
      reason,
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: answer.args },
    }
  },
  // Some versions merge the arguments into those asked for.
  takesEdit: ({ args }, approved) => keepsKeys(args, approved),
}
