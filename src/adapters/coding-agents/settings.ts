import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { withoutHooks } from '../claude-code/settings.ts'
import type { HookAgent } from './agent.ts'
import {
  isOurCommand,
  OR_BLOCK,
  type Place,
  shellQuoted,
  startLine,
  TIMEOUT_S,
  WAIT,
} from './start.ts'

/** The file that makes an agent ask, where that file is JSON. */
export interface AgentSettings {
  /** From the folder of the project. */
  readonly file: string
  /** The settings with our hooks in them, and everything else as it was. */
  readonly install: (before: JsonObject, place: Place) => JsonObject
  /** What lets calls through unasked. */
  readonly openDoors: (settings: JsonObject) => string[]
}

type Grouped = 'codex' | 'gemini-cli'

/** Codex and Gemini CLI: a list of groups for each event, each group with a list of hooks. */
function grouped(
  agent: Grouped,
  file: string,
  events: { readonly before: string; readonly after: string },
  how: { readonly timeout: number; readonly project: (root: string) => string },
): AgentSettings {
  const isOurs = (group: JsonObject) =>
    listOf(group.hooks).some(({ command }) => isOurCommand(command, agent))
  return {
    file,
    install(before, { starter, root }) {
      const line = startLine(agent, { by: starter, project: how.project(root) })
      const asks = {
        type: 'command',
        command: `${line} --wait ${WAIT} ${OR_BLOCK}`,
        timeout: how.timeout,
      }
      const ends = { type: 'command', command: line, timeout: how.timeout / 60 }
      const hooks = isPlainObject(before.hooks) ? (before.hooks as JsonObject) : {}
      const others = (event: string) =>
        listOf(hooks[event]).flatMap((group) =>
          isOurs(group)
            ? withoutHooks(group, ({ command }) => isOurCommand(command, agent))
            : group,
        )
      return {
        ...before,
        hooks: {
          ...hooks,
          [events.before]: [...others(events.before), { hooks: [asks] }],
          [events.after]: [...others(events.after), { hooks: [ends] }],
        },
      }
    },
    openDoors(settings) {
      const hooks = isPlainObject(settings.hooks) ? (settings.hooks as JsonObject) : {}
      const groups = listOf(hooks[events.before]).filter(isOurs)
      const { hooksConfig } = settings
      const isOff =
        (isPlainObject(hooksConfig) && hooksConfig.enabled === false) || hooks.enabled === false
      if (isOff) return ['hooks are switched off, so no hook is asked']
      if (groups.length === 0)
        return [`no ${events.before} hook runs \`countersign hook ${agent}\``]
      return groups.flatMap((group) => [
        ...matcherDoor(group.matcher),
        ...listOf(group.hooks)
          .filter(({ command }) => isOurCommand(command, agent))
          .flatMap((hook) => [
            ...timeoutDoor(hook.timeout, how.timeout / TIMEOUT_S),
            ...(hook.async === true ? ['the hook is async, so the call does not wait for it'] : []),
            ...(/exit 2/.test(String(hook.command))
              ? []
              : ['a hook that fails lets the call run: the command does not end with exit 2']),
          ]),
      ])
    },
  }
}

const CURSOR: AgentSettings = {
  file: '.cursor/hooks.json',
  install(before, { starter }) {
    const line = startLine('cursor', { by: starter, project: '"$CURSOR_PROJECT_DIR"' })
    const asks = { command: `${line} --wait ${WAIT}`, timeout: TIMEOUT_S, failClosed: true }
    return flat(before, 'cursor', {
      preToolUse: asks,
      postToolUse: { command: line },
      postToolUseFailure: { command: line },
    })
  },
  openDoors: (settings) =>
    flatDoors(settings, 'cursor', (hook) => [
      ...timeoutDoor(hook.timeout, 1),
      ...(hook.failClosed === true
        ? []
        : ['a hook that fails lets the call run: set failClosed to true']),
    ]),
}

const COPILOT_CLI: AgentSettings = {
  file: '.github/hooks/countersign.json',
  install(before, { starter }) {
    const line = startLine('copilot-cli', { by: starter, project: '"$PWD"' })
    const hook = (bash: string, timeoutSec: number) => ({
      type: 'command',
      bash,
      cwd: '.',
      timeoutSec,
    })
    return flat(before, 'copilot-cli', {
      preToolUse: hook(`${line} --wait ${WAIT} || exit 2`, TIMEOUT_S),
      postToolUse: hook(`${line} --after`, 60),
      postToolUseFailure: hook(`${line} --after`, 60),
    })
  },
  openDoors: (settings) => [
    ...(settings.disableAllHooks === true ? ['disableAllHooks is on, so no hook is asked'] : []),
    ...flatDoors(settings, 'copilot-cli', (hook) => [
      ...timeoutDoor(hook.timeoutSec, 1),
      ...(/--after\b/.test(String(hook.bash))
        ? ['the hook before a call says --after, so it asks for nothing']
        : []),
    ]),
  ],
}

/** Cursor and Copilot CLI: a list of hooks for each event, in a file with a version. */
function flat(
  before: JsonObject,
  agent: HookAgent,
  ours: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const hooks = isPlainObject(before.hooks) ? (before.hooks as JsonObject) : {}
  const merged = Object.entries(ours).map(([event, hook]): [string, Json] => [
    event,
    [...listOf(hooks[event]).filter((one) => !isOurCommand(lineOf(one), agent)), hook],
  ])
  return { version: 1, ...before, hooks: { ...hooks, ...Object.fromEntries(merged) } }
}

function flatDoors(
  settings: JsonObject,
  agent: HookAgent,
  doors: (hook: JsonObject) => string[],
): string[] {
  const hooks = isPlainObject(settings.hooks) ? (settings.hooks as JsonObject) : {}
  const ours = listOf(hooks.preToolUse).filter((one) => isOurCommand(lineOf(one), agent))
  if (ours.length === 0) return [`no preToolUse hook runs \`countersign hook ${agent}\``]
  return ours.flatMap((hook) => [...matcherDoor(hook.matcher), ...doors(hook)])
}

function lineOf(hook: JsonObject): unknown {
  return hook.command ?? hook.bash
}

function matcherDoor(matcher: Json | undefined): string[] {
  const isEvery = [undefined, '', '*', '.*'].includes(matcher as string | undefined)
  return isEvery ? [] : [`the hook matches ${JSON.stringify(matcher)} only, not every tool`]
}

/** `unit`: how many make a second. */
function timeoutDoor(timeout: Json | undefined, unit: number): string[] {
  const seconds = typeof timeout === 'number' ? timeout / unit : 0
  return seconds >= TIMEOUT_S
    ? []
    : ['the agent ends the hook before a person has had time to answer: the timeout is too short']
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isPlainObject(one)) : []
}

/** Of every agent but Claude Code, whose settings are older, and OpenCode, which takes a program. */
export const SETTINGS: ReadonlyMap<HookAgent, AgentSettings> = new Map<HookAgent, AgentSettings>([
  [
    'codex',
    // Codex names no folder to its hooks, so the whole path stands in the file.
    grouped(
      'codex',
      '.codex/hooks.json',
      { before: 'PreToolUse', after: 'PostToolUse' },
      {
        timeout: TIMEOUT_S,
        project: shellQuoted,
      },
    ),
  ],
  [
    'gemini-cli',
    // Gemini CLI puts the folder in quoted as it must be; quotes of ours would become part of it.
    grouped(
      'gemini-cli',
      '.gemini/settings.json',
      { before: 'BeforeTool', after: 'AfterTool' },
      {
        timeout: TIMEOUT_S * 1_000,
        project: () => '$GEMINI_PROJECT_DIR',
      },
    ),
  ],
  ['cursor', CURSOR],
  ['copilot-cli', COPILOT_CLI],
])
