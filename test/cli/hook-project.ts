import type { IncomingMessage, ServerResponse } from 'node:http'
import { proofOf } from '../../src/app/hook/proof.ts'
import { packageVersion } from '../../src/app/version.ts'
import { countersign } from './countersign.ts'

export const ASKS = `version: 1
tools:
  Bash: { approval: { edit: [command] } }
  Danger: { approval: true }
governance:
  - { id: no-danger, match: { tool: Danger }, deny: Never. }
`

export function inputOf(cwd: string, more: object = {}): string {
  return JSON.stringify({
    session_id: 's1',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git push' },
    tool_use_id: 'toolu_1',
    ...more,
  })
}

export async function hook(project: string, more: object = {}, args: readonly string[] = []) {
  const ran = await countersign(['hook', 'claude-code', ...args], {
    cwd: project,
    env: { CLAUDE_PROJECT_DIR: project },
    stdin: inputOf(project, more),
  })
  const output = ran.stdout === '' ? undefined : JSON.parse(ran.stdout).hookSpecificOutput
  return { ...ran, output, reason: String(output?.permissionDecisionReason ?? '') }
}

export const KEY = 'c0'.repeat(32)

export const nonceOf = ({ headers }: IncomingMessage) => String(headers['x-countersign-nonce'])

export function hello(
  request: IncomingMessage,
  response: ServerResponse,
  version = packageVersion(),
) {
  response.end(JSON.stringify({ version, proof: proofOf(KEY, 'hello', nonceOf(request), version) }))
}

export const answered = (more: object) =>
  JSON.stringify({
    status: 'answer',
    output: { hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } },
  })
