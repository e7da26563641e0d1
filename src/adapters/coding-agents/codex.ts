import { hookInput } from '../claude-code/hook-input.ts'
import { allowed, denied } from '../claude-code/hook-output.ts'
import type { CodingAgent } from './agent.ts'

/** OpenAI Codex: the words of Claude Code. An `allow` without arguments is refused by Codex. */
export const CODEX: CodingAgent = {
  name: 'codex',
  title: 'Codex',
  namesCalls: true,
  tools: {
    readers: new Set(['view_image', 'update_plan', 'list_mcp_resources', 'read_mcp_resource']),
    shells: new Set(['Bash']),
    editors: new Set(),
    contents: new Set(),
    patchers: new Set(['apply_patch']),
  },
  read: (told) => hookInput(told, 'codex'),
  print: (answer) => {
    if (answer === undefined) return undefined
    return answer.decision === 'deny' ? denied(answer.reason) : allowed(answer.reason, answer.args)
  },
  // A tool that takes no other arguments fails in Codex before it runs.
  takesEdit: () => true,
}
