import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Starter, withHooks } from '../../adapters/claude-code/settings.ts'
import type { HookAgent } from '../../adapters/coding-agents/agent.ts'
import { opencodePlugin, PLUGIN_FILE } from '../../adapters/coding-agents/opencode-plugin.ts'
import { SETTINGS } from '../../adapters/coding-agents/settings.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { agentStarter } from '../agent-starter.ts'
import { CLAUDE_CODE_STARTER } from '../claude-code-starter.ts'

interface Installation {
  /** From the folder of the project. */
  readonly file: string
  readonly starter: Starter
  /** What a person has to do besides. */
  readonly notes: readonly string[]
  readonly write: () => void
}

const CLAUDE_CODE_FILE = '.claude/settings.json'

export function starterPolicy(agent: HookAgent): string {
  return agent === 'claude-code' ? CLAUDE_CODE_STARTER : agentStarter(agent)
}

/** What makes an agent ask, ready to be written. Throws where a file is there that is not understood. */
export function installHooks(
  agent: HookAgent,
  folder: string,
  shown: (file: string) => string,
): Installation {
  const starter = starterIn(folder)
  const { file, text } = textFor(agent, { starter, root: folder }, shown)
  return {
    file,
    starter,
    notes: NOTES[agent] ?? [],
    write() {
      const target = path.join(folder, file)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, text)
    },
  }
}

function textFor(
  agent: HookAgent,
  place: { readonly starter: Starter; readonly root: string },
  shown: (file: string) => string,
): { file: string; text: string } {
  if (agent === 'opencode') return { file: PLUGIN_FILE, text: opencodePlugin(place.starter) }
  const settings = SETTINGS.get(agent)
  const file = settings?.file ?? CLAUDE_CODE_FILE
  const before = readSettings(path.join(place.root, file), shown(file))
  const after = settings ? settings.install(before, place) : withHooks(before, place.starter)
  if (!keepsHooks(before, after)) throw notTouched(shown(file), 'hooks in it are not understood')
  return { file, text: `${JSON.stringify(after, undefined, 2)}\n` }
}

/** Whether everything that stood where our hooks are written is a list of objects. */
function keepsHooks({ hooks: before }: JsonObject, { hooks: after }: JsonObject): boolean {
  if (before === undefined) return true
  if (!isPlainObject(before) || !isPlainObject(after)) return false
  return Object.entries(before).every(
    ([event, list]) =>
      after[event] === list || (Array.isArray(list) && list.every((one) => isPlainObject(one))),
  )
}

const NOTES: { readonly [Agent in HookAgent]?: readonly string[] } = {
  codex: [
    '',
    'Codex runs hooks only after you trusted them: open /hooks in Codex and trust these two.',
    'Until then it asks Countersign nothing. The file names this folder, so it is for this machine.',
  ],
  'gemini-cli': ['', 'Gemini CLI runs hooks of a project only in folders that you trust.'],
  'copilot-cli': ['', 'Copilot CLI runs hooks of a repository only in folders that you trust.'],
}

/** The package of the project, or of a workspace above it: npx looks for it anew with every call. */
function starterIn(folder: string): Starter {
  for (let up = ''; ; up += '../') {
    const file = `${up}${INSTALLED}`
    if (existsSync(path.join(folder, file))) return { by: 'node', file }
    const at = path.resolve(folder, up)
    if (at === path.dirname(at)) return { by: 'npx' }
  }
}

const INSTALLED = 'node_modules/countersign/bin/countersign.js'

function readSettings(file: string, shown: string): JsonObject {
  if (!existsSync(file)) return {}
  try {
    const value = parseStrict(readFileSync(file))
    if (isPlainObject(value)) return value as JsonObject
  } catch {
    // Reported below: the file is the user's, and a guess would lose what it says.
  }
  throw notTouched(shown, 'it is not a JSON object')
}

function notTouched(shown: string, why: string): CountersignError {
  return new CountersignError('usage', `${shown} was not touched: ${why}`, {
    hint: 'Mend the file, then run the same command again.',
  })
}
