import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { HOOK_AGENTS, type HookAgent } from '../../adapters/coding-agents/agent.ts'
import { codingAgent } from '../../adapters/coding-agents/agents.ts'
import { PLUGIN_FILE, pluginDoors } from '../../adapters/coding-agents/opencode-plugin.ts'
import { SETTINGS } from '../../adapters/coding-agents/settings.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { findPolicy, POLICY_FILE } from '../files.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Settings that should make a coding agent other than Claude Code ask, and would not. */
export function codingAgentFindings(cwd: string): Finding[] {
  return HOOK_AGENTS.flatMap((agent) => {
    const file = agent === 'opencode' ? PLUGIN_FILE : SETTINGS.get(agent)?.file
    const there = file === undefined ? undefined : path.join(cwd, file)
    if (there === undefined || !existsSync(there)) return []
    const text = readFileSync(there, 'utf8')
    // A user who never installed our hooks has none that could be wrong.
    return text.includes('countersign') ? findingsOf(agent, text, cwd) : []
  })
}

function findingsOf(agent: HookAgent, text: string, cwd: string): Finding[] {
  const { title } = codingAgent(agent)
  const again = `Run \`countersign init ${agent}\` again.`
  const doors = agent === 'opencode' ? pluginDoors(text) : settingsDoors(agent, text)
  const policy =
    findPolicy(cwd) === undefined
      ? [`there is no ${POLICY_FILE} in this folder or above it, so no call runs`]
      : []
  const problems = [...doors, ...policy].map((says) => problem(title, says, again))
  return problems.length > 0
    ? problems
    : [ok(title, 'every call that its hooks see goes through Countersign')]
}

function settingsDoors(agent: HookAgent, text: string): string[] {
  const value = parsed(text)
  const settings = SETTINGS.get(agent)
  if (value === undefined || !settings) return ['its settings are not a JSON object']
  return settings.openDoors(value)
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseStrict(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
