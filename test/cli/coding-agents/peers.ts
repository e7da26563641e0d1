import type { HookAgent } from '../../../src/adapters/coding-agents/agent.ts'

/** What the hook's process left behind. `code` is null where a signal ended it. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Args = Readonly<Record<string, unknown>>

/** What an agent does with a call after its hook. `why` is what the model reads. */
export type Does = { readonly runs: Args } | { readonly blocked: string }

export interface Call {
  readonly session: string
  readonly cwd: string
  readonly tool: string
  readonly args: Args
  /** Of agents that give each call one. */
  readonly id: string
}

/** One agent, as its own source treats its hooks. Every way in which it lets a call run is kept. */
export interface Peer {
  readonly agent: Exclude<HookAgent, 'claude-code'>
  /** The tools of this agent that the tests call. */
  readonly shell: string
  readonly reader: string
  readonly before: (call: Call) => object
  readonly after: (call: Call) => object
  /** Options of the command that reports the end. */
  readonly afterOptions?: readonly string[]
  readonly does: (ended: Ended, call: Call) => Does
}

/** Codex, commit 343074d4, codex-rs/hooks: `events/pre_tool_use.rs` and `engine/output_parser.rs`. */
const CODEX: Peer = {
  agent: 'codex',
  shell: 'Bash',
  reader: 'view_image',
  before: (call) => ({ ...codex(call), hook_event_name: 'PreToolUse' }),
  after: (call) => ({ ...codex(call), hook_event_name: 'PostToolUse', tool_response: 'done' }),
  does({ code, stdout, stderr }, { args }) {
    if (code === 2) return stderr.trim() === '' ? { runs: args } : { blocked: stderr.trim() }
    const said = code === 0 ? object(stdout) : undefined
    const specific = object(said?.hookSpecificOutput)
    if (specific?.hookEventName !== 'PreToolUse') return { runs: args }
    const { permissionDecision, permissionDecisionReason, updatedInput } = specific
    if (permissionDecision === 'deny' && String(permissionDecisionReason ?? '').trim() !== '') {
      return { blocked: String(permissionDecisionReason) }
    }
    const isTaken = permissionDecision === 'allow' && updatedInput !== undefined
    return { runs: isTaken ? (updatedInput as Args) : args }
  },
}

function codex({ session, cwd, tool, args, id }: Call): object {
  return {
    session_id: session,
    turn_id: 'turn-1',
    transcript_path: null,
    cwd,
    model: 'gpt-5',
    permission_mode: 'default',
    tool_name: tool,
    tool_input: args,
    tool_use_id: id,
  }
}

/** Gemini CLI, @google/gemini-cli-core 0.61.0: `hookRunner.js`, `hookAggregator.js`, `hook-utils.js`. */
const GEMINI_CLI: Peer = {
  agent: 'gemini-cli',
  shell: 'run_shell_command',
  reader: 'read_file',
  before: (call) => ({ ...gemini(call), hook_event_name: 'BeforeTool' }),
  after: (call) => ({
    ...gemini(call),
    hook_event_name: 'AfterTool',
    tool_response: { llmContent: 'done', returnDisplay: 'done' },
  }),
  does({ code, stdout, stderr }, { args }) {
    const text = stdout.trim() || stderr.trim()
    if (text === '') return { runs: args }
    const said = object(text) ?? { decision: (code || 0) < 2 ? 'allow' : 'deny', reason: text }
    if (said.decision === 'deny' || said.decision === 'block')
      return { blocked: String(said.reason) }
    const { tool_input } = object(said.hookSpecificOutput) ?? {}
    return { runs: object(tool_input) ?? args }
  },
}

function gemini({ session, cwd, tool, args }: Call): object {
  return {
    session_id: session,
    transcript_path: '',
    cwd,
    timestamp: '2026-01-01T00:00:00.000Z',
    tool_name: tool,
    tool_input: args,
  }
}

/** Cursor, @cursor/sdk 1.0.32, with `failClosed`: `executeCommandHook` and the executors behind it. */
const CURSOR: Peer = {
  agent: 'cursor',
  shell: 'Shell',
  reader: 'Read',
  before: (call) => ({ ...cursor(call), hook_event_name: 'preToolUse' }),
  after: (call) => ({ ...cursor(call), hook_event_name: 'postToolUse', tool_output: '{}' }),
  does({ code, stdout, stderr }, { args }) {
    if (code === 2) return { blocked: stdout.trim() || stderr.trim() || 'blocked' }
    if (code !== 0 && code !== null) return { blocked: `failed with exit code ${code}` }
    const said = object(stdout)
    if (said === undefined) return { blocked: 'no output, or invalid JSON' }
    if (said.permission === 'deny') return { blocked: String(said.user_message) }
    const { command, cwd } = object(said.updated_input) ?? {}
    return {
      runs: {
        ...args,
        ...(typeof command === 'string' ? { command } : {}),
        ...(typeof cwd === 'string' ? { cwd } : {}),
      },
    }
  },
}

function cursor({ session, cwd, tool, args, id }: Call): object {
  return {
    conversation_id: session,
    generation_id: 'g1',
    model: 'auto',
    cursor_version: '3.0.0',
    workspace_roots: [cwd],
    tool_name: tool,
    tool_input: args,
    tool_use_id: id,
  }
}

/** Copilot CLI, its hooks reference in github/docs, commit 05da5bc3: exit codes and decision control. */
const COPILOT_CLI: Peer = {
  agent: 'copilot-cli',
  shell: 'bash',
  reader: 'view',
  before: copilot,
  after: (call) => ({
    ...copilot(call),
    toolResult: { resultType: 'success', textResultForLlm: 'done' },
  }),
  afterOptions: ['--after'],
  does({ code, stdout, stderr }, { args }) {
    if (code !== 0) return { blocked: stderr.trim() || 'Denied by preToolUse hook (hook errored)' }
    const said = object(stdout) ?? {}
    if (said.permissionDecision === 'deny')
      return { blocked: String(said.permissionDecisionReason) }
    return { runs: object(said.modifiedArgs) ?? args }
  },
}

function copilot({ session, cwd, tool, args }: Call): object {
  return { sessionId: session, timestamp: 1_704_614_400_000, cwd, toolName: tool, toolArgs: args }
}

/** OpenCode 1.18.18: the plugin runs the command; `install.test.ts` drives that plugin itself. */
const OPENCODE: Peer = {
  agent: 'opencode',
  shell: 'bash',
  reader: 'read',
  before: (call) => ({ ...opencode(call), event: 'tool.execute.before' }),
  after: (call) => ({ ...opencode(call), event: 'tool.execute.after' }),
  does({ code, stdout, stderr }, { args }) {
    const said = code === 0 ? object(stdout) : undefined
    if (said?.decision === 'none') return { runs: args }
    if (said?.decision === 'allow') return { runs: object(said.args) ?? {} }
    return { blocked: String(said?.reason ?? stderr.trim()) }
  },
}

function opencode({ session, cwd, tool, args, id }: Call): object {
  return { sessionID: session, directory: cwd, tool, args, callID: id }
}

function object(value: unknown): Args | undefined {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as Args)
      : undefined
  } catch {
    return undefined
  }
}

export const PEERS: readonly [string, Peer][] = [
  ['Codex', CODEX],
  ['Gemini CLI', GEMINI_CLI],
  ['Cursor', CURSOR],
  ['Copilot CLI', COPILOT_CLI],
  ['OpenCode', OPENCODE],
]
