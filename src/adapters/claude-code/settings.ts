import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'

/**
 * How long Claude Code waits for the hook, in seconds, and how long the hook waits for people. The
 * hook must be first: Claude Code runs the tool when a hook of an older version runs out of time.
 */
const TIMEOUT_S = 3_600
const WAIT = '55m'

/** Claude Code sets it for hooks; the shell that runs the command puts it in. */
const PROJECT = '"$CLAUDE_PROJECT_DIR"'

/** Starts the package: found by npx, which takes about a second, or a file of the project. */
export type Starter = { readonly by: 'npx' } | { readonly by: 'node'; readonly file: string }

/** `file`: from the folder of the project, with forward slashes. */
function commandLine(starter: Starter): string {
  const start =
    starter.by === 'npx' ? 'npx countersign' : `node ${PROJECT}/${shellQuoted(starter.file)}`
  return `${start} hook claude-code --project ${PROJECT}`
}

function shellQuoted(file: string): string {
  return /^[\w./@-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`
}

/** Before: any doubt blocks. After: the call has run, and blocking would be of no use. */
function entries(starter: Starter): Readonly<Record<string, JsonObject>> {
  const line = commandLine(starter)
  // Every failure becomes exit code 2, which blocks, also where `onFailure` is not known yet.
  const before = `${line} --wait ${WAIT} || exit 2`
  return {
    PreToolUse: { type: 'command', command: before, timeout: TIMEOUT_S, onFailure: 'block' },
    PostToolUse: { type: 'command', command: line, timeout: 60 },
    PostToolUseFailure: { type: 'command', command: line, timeout: 60 },
  }
}

/** The settings with our hooks in them, and everything else as it was. */
export function withHooks(settings: JsonObject, starter: Starter): JsonObject {
  const hooks = isPlainObject(settings.hooks) ? (settings.hooks as JsonObject) : {}
  const ours = Object.entries(entries(starter)).map(([event, entry]): [string, Json] => {
    const others = groupsOf(hooks[event]).flatMap((group) =>
      hooksOf(group).some(isOurs) ? withoutHooks(group, isOurs) : group,
    )
    return [event, [...others, { matcher: '*', hooks: [entry] }]]
  })
  return { ...settings, hooks: { ...hooks, ...Object.fromEntries(ours) } }
}

/** A group without these hooks: the user may have put others beside ours. */
export function withoutHooks(
  group: JsonObject,
  isTaken: (hook: JsonObject) => boolean,
): JsonObject | [] {
  const hooks = hooksOf(group).filter((hook) => !isTaken(hook))
  return hooks.length === 0 ? [] : { ...group, hooks }
}

/** What is wrong with settings that should make Claude Code ask: each lets calls through unasked. */
export function openDoors(settings: JsonObject): string[] {
  const found = ourGroups(settings)
  if (settings.disableAllHooks === true) return ['disableAllHooks is on, so no hook is asked']
  if (found.length === 0) return ['no PreToolUse hook runs `countersign hook claude-code`']
  return found.flatMap((group) => {
    const covers = [undefined, '', '*', '.*'].includes(group.matcher as string | undefined)
    const mine = hooksOf(group).filter(isOurs)
    return [
      ...(covers ? [] : [`the hook matches ${JSON.stringify(group.matcher)} only, not every tool`]),
      ...mine.flatMap(weaknesses),
    ]
  })
}

function ourGroups(settings: JsonObject): JsonObject[] {
  const hooks = isPlainObject(settings.hooks) ? settings.hooks : {}
  const groups = groupsOf(hooks.PreToolUse as Json | undefined)
  return groups.filter((group) => hooksOf(group).some(isOurs))
}

function weaknesses(hook: JsonObject): string[] {
  const { command, timeout, onFailure } = hook
  const line = String(command)
  const [, amount = '', unit = 'm'] = /--wait[ =](\d+)([smh])\b/.exec(line) ?? []
  const seconds = { s: 1, m: 60, h: 3_600 }[unit] ?? 60
  const waits = amount === '' ? DEFAULT_WAIT_S : Number(amount) * seconds
  const limit = typeof timeout === 'number' ? timeout : CLAUDE_CODE_TIMEOUT_S
  return [
    ...(onFailure === 'block' || /\|\|\s*exit 2\s*$/.test(line)
      ? []
      : ['a hook that fails lets the call run: set onFailure to block']),
    ...(waits < limit
      ? []
      : [`the hook waits ${waits} s but Claude Code only ${limit} s, and then runs the call`]),
    ...(/--project[ =]\S*\$\{?CLAUDE_PROJECT_DIR\b/.test(line)
      ? []
      : [
          'the hook does not say --project "$CLAUDE_PROJECT_DIR": where that is not set, the folder of the agent decides which policy holds',
        ]),
  ]
}

/** Files of the project that hooks start, from its folder. */
export function startedFiles(settings: JsonObject): string[] {
  const lines = ourGroups(settings).flatMap((group) =>
    hooksOf(group)
      .filter(isOurs)
      .map(({ command }) => String(command)),
  )
  return lines
    .flatMap(
      (line) => /^node "?\$\{?CLAUDE_PROJECT_DIR\}?"?\/('[^']*'|[^\s'"]+)/.exec(line)?.[1] ?? [],
    )
    .map((file) => file.replaceAll("'", ''))
}

/** Whether hooks are started by npx, which takes about a second for every call. */
export function startsNpx(settings: JsonObject): boolean {
  return ourGroups(settings).some((group) =>
    hooksOf(group).some((hook) => isOurs(hook) && /^npx\b/.test(String(hook.command))),
  )
}

/** What the hook waits unless told otherwise, and what Claude Code does. */
export const DEFAULT_WAIT_S = 540
const CLAUDE_CODE_TIMEOUT_S = 600

function groupsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isPlainObject(one)) : []
}

function hooksOf({ hooks }: JsonObject): JsonObject[] {
  return groupsOf(hooks as Json | undefined)
}

function isOurs({ command }: JsonObject): boolean {
  return typeof command === 'string' && /\bcountersign\b.*\bhook\s+claude-code\b/.test(command)
}
