import { existsSync } from 'node:fs'
import path from 'node:path'
import type { PolicyBundle } from '../../api/agent.ts'
import { replaceFile } from '../../app/replace-file.ts'
import type { PolicyFiles } from '../../app/served-policy.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import { keepTexts, type PolicyText } from '../../policy/load/sources.ts'
import type { FileState, FileStatus } from '../../server/policy/status.ts'
import { findPolicy, governanceFromEnv, POLICY_FILE, readPolicyBytes } from '../files.ts'
import type { Shell } from '../shell.ts'
import {
  eachOnce,
  type LoadedPolicy,
  loadPolicy,
  parseFiles,
  withoutMistakes,
} from './policy-files.ts'

export interface PolicyOptions {
  readonly policy?: string
  readonly governance?: readonly string[]
}

/** Without any file the defaults hold, so that the first start needs none. */
export function loadServed(
  { policy, governance = [] }: PolicyOptions,
  { cwd, env }: Shell,
): LoadedPolicy {
  const owner = policy ?? findPolicy(cwd)
  const outside = eachOnce([...governance, ...governanceFromEnv(env)], cwd)
  if (owner === undefined && outside.length === 0) {
    return { files: [], documents: [], mistakes: [], warnings: [], policy: combinePolicy({}) }
  }
  return loadPolicy({ owner, governance: outside }, cwd)
}

/** What was put into force once, by this or another server. No files: the defaults. */
export function parseServed(sources: PolicyBundle['files']): LoadedPolicy {
  const files = sources.map(({ role, file, text }) => ({
    role,
    file,
    bytes: new TextEncoder().encode(text),
  }))
  return withoutMistakes(parseFiles(files))
}

/** Policy files as a server reads them, now and again. */
export function filesOf(load: () => LoadedPolicy, cwd: string): PolicyFiles {
  return {
    read() {
      const { policy, files } = load()
      // Of several files that hold for one call, these are the texts that people are shown.
      keepTexts(
        policy,
        files.map(({ role, file, bytes }) => ({ role, file, text: textOf(bytes) })),
      )
      return policy
    },
    states: (texts) => fileStates(texts, cwd),
    replaceOwner: (before, text) =>
      replaceFile(path.resolve(cwd, before?.file ?? POLICY_FILE), before?.text, text),
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Policy files are not hot-loaded: what changed on disk is shown as not active. */
function fileStates(files: readonly PolicyText[], cwd: string): FileStatus[] {
  const known = files.map(({ file, role, text }) => ({
    file,
    role,
    state: fileState(file, text, cwd),
  }))
  const appeared = files.some(({ role }) => role === 'owner') ? undefined : findPolicy(cwd)
  return appeared === undefined
    ? known
    : [...known, { file: appeared, role: 'owner', state: 'new' }]
}

function fileState(file: string, text: string, cwd: string): FileState {
  if (!existsSync(path.resolve(cwd, file))) return 'removed'
  try {
    return textOf(readPolicyBytes(file, cwd)) === text ? 'active' : 'changed'
  } catch {
    return 'changed'
  }
}
