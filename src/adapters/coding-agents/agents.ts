import type { CodingAgent, HookAgent } from './agent.ts'
import { CLAUDE_CODE } from './claude-code.ts'
import { CODEX } from './codex.ts'
import { COPILOT_CLI } from './copilot-cli.ts'
import { CURSOR } from './cursor.ts'
import { GEMINI_CLI } from './gemini-cli.ts'
import { OPENCODE } from './opencode.ts'

const AGENTS: Readonly<Record<HookAgent, CodingAgent>> = {
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  'gemini-cli': GEMINI_CLI,
  cursor: CURSOR,
  'copilot-cli': COPILOT_CLI,
  opencode: OPENCODE,
}

export function codingAgent(name: HookAgent): CodingAgent {
  return AGENTS[name]
}

/** Undefined for a name that no agent here has. */
export function findCodingAgent(name: unknown): CodingAgent | undefined {
  return typeof name === 'string' && Object.hasOwn(AGENTS, name)
    ? AGENTS[name as HookAgent]
    : undefined
}
