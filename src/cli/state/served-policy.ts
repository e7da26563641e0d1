import { existsSync } from 'node:fs'
import path from 'node:path'
import type { PolicyBundle } from '../../api/agent.ts'
import { packageVersion } from '../../app/version.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import type { FileState, FileStatus } from '../../server/policy/status.ts'
import type { ServerOptions } from '../../server/server.ts'
import { findPolicy, governanceFromEnv, readPolicyBytes } from '../files.ts'
import type { Shell } from '../shell.ts'
import {
  eachOnce,
  type LoadedPolicy,
  loadPolicy,
  type PolicyFile,
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

/** What a server shows and hands out of the policy it runs on. */
export function servedPolicy(
  { policy, documents, warnings, files }: LoadedPolicy,
  cwd: string,
): Pick<ServerOptions, 'running'> & Required<Pick<ServerOptions, 'sources'>> {
  return {
    running: {
      version: packageVersion(),
      loadedAt: new Date(),
      policy,
      documents,
      warnings,
      files: () => fileStates(files, cwd),
    },
    sources: files.map(({ role, file, bytes }) => ({
      role,
      file,
      text: new TextDecoder().decode(bytes),
    })),
  }
}

/** Policy files are not hot-loaded: what changed on disk is shown as not active. */
function fileStates(files: readonly PolicyFile[], cwd: string): FileStatus[] {
  const known = files.map(({ file, role, bytes }) => ({
    file,
    role,
    state: fileState(file, bytes, cwd),
  }))
  const appeared = files.some(({ role }) => role === 'owner') ? undefined : findPolicy(cwd)
  return appeared === undefined
    ? known
    : [...known, { file: appeared, role: 'owner', state: 'new' }]
}

function fileState(file: string, bytes: Uint8Array, cwd: string): FileState {
  if (!existsSync(path.resolve(cwd, file))) return 'removed'
  try {
    return Buffer.compare(bytes, readPolicyBytes(file, cwd)) === 0 ? 'active' : 'changed'
  } catch {
    return 'changed'
  }
}
