import type { Starter } from '../claude-code/settings.ts'
import type { HookAgent } from './agent.ts'

/**
 * How long an agent waits for its hook, and how long the hook waits for people. The hook must be
 * first: Codex, Gemini CLI and Copilot CLI run the call when their hook runs out of time.
 */
export const TIMEOUT_S = 3_600
export const WAIT = '55m'

/** Where the project lies, as the shell that runs the hook is told. */
export interface Place {
  readonly starter: Starter
  /** Its whole path. */
  readonly root: string
}

/** As a shell reads it. */
export function shellQuoted(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** `project`: what the shell expands to the folder of the project. */
export function startLine(agent: HookAgent, { by, project }: { by: Starter; project: string }) {
  const start = by.by === 'npx' ? 'npx countersign' : `node ${project}/${shellQuoted(by.file)}`
  return `${start} hook ${agent} --project ${project}`
}

/** Exit code 2 blocks in Codex and Gemini CLI only with a sentence on stderr. */
export const OR_BLOCK =
  '|| { echo "countersign: the hook failed, so the call does not run" >&2; exit 2; }'

export function isOurCommand(command: unknown, agent: HookAgent): boolean {
  return (
    typeof command === 'string' &&
    new RegExp(`\\bcountersign\\b.*\\bhook\\s+${agent}\\b`).test(command)
  )
}
