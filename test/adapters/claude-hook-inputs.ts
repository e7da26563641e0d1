/**
 * What Claude Code 2 handed to the hooks of Claude Agent SDK 0.3.325, recorded. `npm run proof claude`
 * compares each with what the real program sends.
 */
const session = {
  session_id: '8ad9fec1-5fbc-4b28-93e7-9eae78a3f6a2',
  transcript_path: '/srv/app/.claude/projects/app/8ad9fec1.jsonl',
  cwd: '/srv/app',
  prompt_id: '634d7d78-e7f8-4096-9bb4-97bf7852e21d',
  permission_mode: 'default',
}

const subAgent = { agent_id: 'a5516d34f7226a781', agent_type: 'payer' }
const mcp = { mcp_server: { name: 'bank', source: 'sdk' } }
const bash = { tool_name: 'Bash', tool_input: { command: 'echo hi' }, tool_use_id: 'b1' }
const pay = { tool_name: 'mcp__bank__pay', tool_input: { to: 'bob', amount: 5 } }

export const RECORDED = {
  before: { ...session, hook_event_name: 'PreToolUse', ...bash },
  after: {
    ...session,
    hook_event_name: 'PostToolUse',
    ...bash,
    tool_response: {
      stdout: 'hi',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
    duration_ms: 573,
  },
  failed: {
    ...session,
    hook_event_name: 'PostToolUseFailure',
    ...bash,
    error: 'Exit code 3',
    is_interrupt: false,
    duration_ms: 33,
  },
  beforeMcp: { ...session, hook_event_name: 'PreToolUse', ...pay, tool_use_id: 't1', ...mcp },
  afterMcp: {
    ...session,
    hook_event_name: 'PostToolUse',
    ...pay,
    tool_response: [{ type: 'text', text: 'paid 5' }],
    tool_use_id: 't1',
    duration_ms: 83,
    ...mcp,
  },
  delegating: {
    ...session,
    hook_event_name: 'PreToolUse',
    tool_name: 'Agent',
    tool_input: { description: 'pay bob', prompt: 'pay bob 5', subagent_type: 'payer' },
    tool_use_id: 'a1',
  },
  beforeInSubAgent: {
    ...session,
    ...subAgent,
    hook_event_name: 'PreToolUse',
    ...pay,
    tool_use_id: 's1',
    ...mcp,
  },
  batch: {
    ...session,
    hook_event_name: 'PostToolBatch',
    tool_calls: [{ ...bash, tool_response: 'hi' }],
  },
  stop: {
    ...session,
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: 'done',
    background_tasks: [],
    session_crons: [],
  },
} as const
