import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { HookAgent } from '../coding-agents/agent.ts'

/** What a coding agent tells its hook about a call: before it runs, or after. */
export interface HookInput {
  readonly agent: HookAgent
  readonly event: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure'
  readonly session: string
  readonly cwd: string
  readonly tool: string
  /** Of an MCP tool. */
  readonly server?: string
  readonly args: JsonObject
  /** Names this one attempt; the same call tried again has another. */
  readonly attempt: string
  /** The sub-agent that makes the call. */
  readonly subAgent?: { readonly id: string; readonly type: string }
  /** After it ran: what it gave, or how it failed. */
  readonly response?: Json
  readonly error?: string
  readonly wasInterrupted?: boolean
}

const EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const
const LONGEST_NAME = 512
const LIMITS = { bytes: 16 * 1_048_576, depth: 80, keys: 400_000 }

/** The JSON that an agent sent, with limits that a real call keeps. */
export function parseHookInput(bytes: Uint8Array): unknown {
  return parseStrict(bytes, LIMITS)
}

export function readHookInput(bytes: Uint8Array): HookInput {
  return hookInput(parseHookInput(bytes))
}

/** Throws on anything that is not exactly understood: a hook that guesses lets calls through. */
export function hookInput(
  told: unknown,
  agent: 'claude-code' | 'codex' = 'claude-code',
): HookInput {
  if (!isPlainObject(told)) throw notUnderstood('it is not an object')
  const event = EVENTS.find((one) => one === told.hook_event_name)
  if (event === undefined) {
    throw notUnderstood('it is about none of PreToolUse, PostToolUse and PostToolUseFailure')
  }
  const args = told.tool_input
  if (!isPlainObject(args)) throw notUnderstood('tool_input is not an object')
  const server = isPlainObject(told.mcp_server) ? told.mcp_server.name : undefined
  return {
    agent,
    event,
    session: textOf(told, 'session_id'),
    cwd: textOf(told, 'cwd', 4_096),
    ...named(textOf(told, 'tool_name'), typeof server === 'string' ? server : undefined),
    args: args as JsonObject,
    attempt: textOf(told, 'tool_use_id'),
    ...(told.agent_id === undefined ? {} : { subAgent: subAgentOf(told) }),
    ...(told.tool_response === undefined ? {} : { response: told.tool_response as Json }),
    ...(typeof told.error === 'string' ? { error: told.error } : {}),
    ...(told.is_interrupt === true ? { wasInterrupted: true } : {}),
  }
}

function subAgentOf(told: Readonly<Record<string, unknown>>): { id: string; type: string } {
  const type = told.agent_type === undefined ? 'unknown' : textOf(told, 'agent_type')
  return { id: textOf(told, 'agent_id'), type }
}

/** `mcp__files__write_file` is the tool `write_file` of the server `files`. */
function named(name: string, server: string | undefined): { tool: string; server?: string } {
  const [, rest] = /^mcp__(.+)$/s.exec(name) ?? []
  if (rest === undefined) return { tool: name }
  // The name in the settings, as Claude Code spells it inside the names of tools.
  const prefix = server === undefined ? undefined : `${server.replaceAll(/[^\w-]/g, '_')}__`
  if (server !== undefined && prefix !== undefined && rest.startsWith(prefix)) {
    return { server, tool: rest.slice(prefix.length) }
  }
  const at = rest.indexOf('__')
  if (at <= 0) throw notUnderstood(`tool_name ${JSON.stringify(name)} names no server`)
  return { server: rest.slice(0, at), tool: rest.slice(at + 2) }
}

function textOf(told: Readonly<Record<string, unknown>>, key: string, most = LONGEST_NAME): string {
  const value = told[key]
  if (typeof value === 'string' && value !== '' && value.length <= most) return value
  throw notUnderstood(`${key} is missing, or is not a text of at most ${most} characters`)
}

function notUnderstood(why: string): CountersignError {
  return new CountersignError('invalid_call', `what the hook was told is not understood: ${why}`, {
    hint: 'Compare the versions of Claude Code and Countersign; until then nothing runs.',
  })
}
