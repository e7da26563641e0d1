import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HookInput, parseHookInput } from '../../adapters/claude-code/hook-input.ts'
import type { OwnFiles } from '../../adapters/claude-code/own-places.ts'
import type { CodingAgent } from '../../adapters/coding-agents/agent.ts'
import { PLUGIN_FILE } from '../../adapters/coding-agents/opencode-plugin.ts'
import { SETTINGS as AGENT_SETTINGS } from '../../adapters/coding-agents/settings.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { databasePlace, type Place } from '../state/database.ts'
import { readAnyServerFile, readServerFile, type ServerFile } from '../state/server-file.ts'
import type { HookOptions } from './options.ts'
import { findProject, type HookProject } from './project.ts'

/** A call, and everything that is needed to decide about it. */
export interface Prepared {
  readonly bytes: Uint8Array
  readonly input: HookInput
  readonly project: HookProject
  readonly place: Place
  readonly own: OwnFiles
  readonly server: ServerFile | undefined
}

export function prepare(
  agent: CodingAgent,
  bytes: Uint8Array,
  options: HookOptions,
  { env }: Shell,
): Prepared {
  const isAfter = options.after === true
  const input = agent.read(parseHookInput(bytes), isAfter)
  if (isAfter && input.event === 'PreToolUse') {
    throw usage('--after is for calls that are over, and this one is not', 'Leave out --after.')
  }
  const project = findProject(options, agent, { cwd: input.cwd, env })
  const place = databasePlace(options.db, { cwd: project.root, env })
  const server = readServerFile(place, options.tenant)
  return { bytes, input, project, place, server, own: ownFiles({ project, place }, env) }
}

const SETTINGS = ['settings.json', 'settings.local.json']
/** Hooks, and what says that hooks are trusted. */
const AGENT_FILES = [
  ...[...AGENT_SETTINGS.values()].map(({ file }) => file),
  ...[PLUGIN_FILE, '.codex/config.toml', '.gemini/trustedFolders.json', '.copilot/config.json'],
]

/** A process that can write these files decides what the next call may do. */
function ownFiles(
  { project, place }: Pick<Prepared, 'project' | 'place'>,
  env: Shell['env'],
): OwnFiles {
  const home = env.HOME || homedir()
  const database =
    place.kind === 'sqlite' ? ['', '-wal', '-shm'].map((end) => `${place.path}${end}`) : []
  const policies = project.policies.flatMap(({ owner, governance }) => [
    ...(owner === undefined ? [] : [owner]),
    ...governance,
  ])
  const folders = [
    path.join(project.root, '.claude'),
    env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'),
  ]
  const settings = [
    ...folders.flatMap((folder) => SETTINGS.map((name) => path.join(folder, name))),
    // Of other agents only what is there: without it they ask nothing, and go on.
    ...[project.root, home]
      .flatMap((folder) => AGENT_FILES.map((name) => path.join(folder, name)))
      .filter((file) => existsSync(file)),
  ]
  // Also of a server of other approvals: what decides there is as little the agent's to write.
  const files = readAnyServerFile(place.folder)?.hook?.files ?? []
  return {
    home,
    paths: [place.folder, ...database, ...policies, ...settings, ...files, ...ownPackage()],
  }
}

/** The code that runs here, where it is installed. In a checkout of ours it is what is worked on. */
function ownPackage(): string[] {
  const folder = fileURLToPath(new URL('../../../', import.meta.url))
  return /[\\/]node_modules[\\/]/.test(folder) ? [folder] : []
}
