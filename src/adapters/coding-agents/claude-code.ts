import { hookInput } from '../claude-code/hook-input.ts'
import { allowed, denied } from '../claude-code/hook-output.ts'
import type { CodingAgent } from './agent.ts'

export const CLAUDE_CODE: CodingAgent = {
  name: 'claude-code',
  title: 'Claude Code',
  projectVariable: 'CLAUDE_PROJECT_DIR',
  namesCalls: true,
  tools: {
    readers: new Set([
      ...['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch'],
      ...['TodoWrite', 'Agent', 'Task'],
    ]),
    shells: new Set(['Bash', 'PowerShell', 'Monitor']),
    editors: new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']),
    contents: new Set(['content', 'old_string', 'new_string', 'new_source']),
    patchers: new Set(),
  },
  read: (told) => hookInput(told),
  print: (answer) => {
    if (answer === undefined) return undefined
    return answer.decision === 'deny' ? denied(answer.reason) : allowed(answer.reason, answer.args)
  },
  takesEdit: () => true,
}
