import type { HookInput } from '../claude-code/hook-input.ts'
import type { CodingAgent } from './agent.ts'
import { LONGEST_PATH, nameByArguments, readerFor } from './reading.ts'

const from = readerFor('Copilot CLI')

/**
 * Copilot does not name the event in what it sends, so the command does: what stands in the input
 * must never turn a question into a report that is let through.
 */
function read(told: unknown, isAfter: boolean): HookInput {
  const input = from.object(told, 'it')
  const tool = from.text(input, 'toolName')
  const args = from.args(input.toolArgs, 'toolArgs')
  return {
    agent: 'copilot-cli',
    event: !isAfter
      ? 'PreToolUse'
      : input.error === undefined
        ? 'PostToolUse'
        : 'PostToolUseFailure',
    session: from.text(input, 'sessionId'),
    cwd: from.text(input, 'cwd', LONGEST_PATH),
    tool,
    args,
    attempt: nameByArguments({ tool }, args),
  }
}

export const COPILOT_CLI: CodingAgent = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  namesCalls: false,
  tools: {
    readers: new Set([
      ...['view', 'grep', 'rg', 'glob', 'web_fetch', 'web_search', 'ask_user', 'update_todo'],
      ...['task'],
    ]),
    shells: new Set(['bash', 'powershell']),
    editors: new Set(['create', 'edit', 'str_replace_editor']),
    contents: new Set(['file_text', 'old_str', 'new_str']),
    patchers: new Set(['apply_patch']),
  },
  read,
  print: (answer) => {
    if (answer === undefined) return undefined
    const { decision: permissionDecision, reason: permissionDecisionReason } = answer
    const said = { permissionDecision, permissionDecisionReason }
    return answer.decision === 'allow' ? { ...said, modifiedArgs: answer.args } : said
  },
  takesEdit: () => true,
}
