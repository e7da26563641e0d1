import type { HookInput } from '../claude-code/hook-input.ts'
import type { CodingAgent } from './agent.ts'
import { LONGEST_PATH, readerFor } from './reading.ts'

const from = readerFor('OpenCode')
const EVENTS = {
  'tool.execute.before': 'PreToolUse',
  'tool.execute.after': 'PostToolUse',
} as const

/** What our own plugin sends: OpenCode runs plugins, and no commands. */
function read(told: unknown): HookInput {
  const input = from.object(told, 'it')
  return {
    agent: 'opencode',
    event: from.event(input, 'event', EVENTS),
    session: from.text(input, 'sessionID'),
    cwd: from.text(input, 'directory', LONGEST_PATH),
    tool: from.text(input, 'tool'),
    args: from.args(input.args, 'args'),
    attempt: from.text(input, 'callID'),
  }
}

export const OPENCODE: CodingAgent = {
  name: 'opencode',
  title: 'OpenCode',
  namesCalls: true,
  tools: {
    readers: new Set([
      ...['read', 'glob', 'grep', 'list', 'webfetch', 'websearch', 'todowrite', 'todoread', 'task'],
      ...['question', 'skill'],
    ]),
    shells: new Set(['bash']),
    editors: new Set(['write', 'edit', 'multiedit']),
    contents: new Set(['content', 'oldString', 'newString']),
    patchers: new Set(['patch', 'apply_patch']),
  },
  read,
  // Said also where there is no objection: the plugin takes silence for a failure.
  print: (answer) => (answer === undefined ? { decision: 'none' } : { ...answer }),
  takesEdit: () => true,
}
