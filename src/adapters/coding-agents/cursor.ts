import type { JsonObject } from '../../base/json/json.ts'
import type { HookInput } from '../claude-code/hook-input.ts'
import type { CodingAgent } from './agent.ts'
import { keepsKeys, LONGEST_PATH, readerFor } from './reading.ts'

const from = readerFor('Cursor')
const EVENTS = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
} as const

function read(told: unknown): HookInput {
  const input = from.object(told, 'it')
  return {
    agent: 'cursor',
    event: from.event(input, 'hook_event_name', EVENTS),
    session: from.text(input, 'conversation_id'),
    cwd: folderOf(input),
    ...nameOf(from.text(input, 'tool_name')),
    args: from.args(input.tool_input, 'tool_input'),
    attempt: from.text(input, 'tool_use_id'),
  }
}

/** `MCP:name`: Cursor does not say of which server, so all of them are tools of one. */
function nameOf(name: string): { tool: string; server?: string } {
  const [, tool] = /^MCP:(.+)$/s.exec(name) ?? []
  return tool === undefined ? { tool: name } : { server: 'mcp', tool }
}

/** Some versions send only the folders of the workspace. */
function folderOf(input: Readonly<Record<string, unknown>>): string {
  const { cwd, workspace_roots } = input
  if (typeof cwd === 'string' && cwd !== '') return from.text(input, 'cwd', LONGEST_PATH)
  const [root] = Array.isArray(workspace_roots) ? workspace_roots : []
  return from.text({ 'workspace_roots[0]': root }, 'workspace_roots[0]', LONGEST_PATH)
}

/** The arguments that Cursor takes from a hook, by tool. Others it would run as they were asked. */
const TAKEN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Shell', new Set(['command', 'cwd'])],
  ['Write', new Set(['file_path'])],
  ['Delete', new Set(['file_path'])],
  ['Read', new Set(['file_path'])],
  ['Fetch', new Set(['url'])],
  ['Grep', new Set(['pattern', 'file_path'])],
])

export const CURSOR: CodingAgent = {
  name: 'cursor',
  title: 'Cursor',
  projectVariable: 'CURSOR_PROJECT_DIR',
  namesCalls: true,
  tools: {
    readers: new Set([
      'Read',
      'Grep',
      'List',
      'ReadLints',
      'Fetch',
      'WebSearch',
      'WebFetch',
      'Task',
    ]),
    shells: new Set(['Shell']),
    editors: new Set(['Write', 'Delete']),
    contents: new Set(['content']),
    patchers: new Set(),
  },
  read,
  // With failClosed an empty answer blocks, so no objection is said too.
  print: (answer): JsonObject => {
    if (answer === undefined) return {}
    if (answer.decision === 'allow') return { permission: 'allow', updated_input: answer.args }
    const { reason } = answer
    return { permission: 'deny', user_message: reason, agent_message: reason }
  },
  takesEdit({ tool, server, args: asked }, approved) {
    if (!keepsKeys(asked, approved)) return false
    if (server !== undefined) return true
    const taken = TAKEN.get(tool)
    return Object.entries(approved).every(([key, value]) => {
      const isSame =
        Object.hasOwn(asked, key) && JSON.stringify(asked[key]) === JSON.stringify(value)
      return isSame || (taken?.has(key) === true && typeof value === 'string')
    })
  },
}
