import path from 'node:path'
import type { Command } from 'commander'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import type { Mistake, PolicyDocument } from '../../policy/document.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import { loadGovernance, loadOwner, policyError } from '../../policy/load/load.ts'
import type { Policy } from '../../policy/policy.ts'
import { findPolicy, governanceFromEnv, POLICY_FILE, readPolicyBytes } from '../files.ts'
import type { Shell } from '../shell.ts'

export interface PolicyFile {
  readonly role: 'owner' | 'governance'
  /** As the user named it, or as found. */
  readonly file: string
  readonly bytes: Uint8Array
}

export interface ReadPolicy {
  readonly files: readonly PolicyFile[]
  readonly documents: readonly PolicyDocument[]
  readonly mistakes: readonly Mistake[]
  readonly warnings: readonly Mistake[]
  /** Absent as long as there are mistakes. */
  readonly policy?: Policy
}

export interface LoadedPolicy extends ReadPolicy {
  readonly policy: Policy
}

export interface Named {
  readonly owner: string | undefined
  readonly governance: readonly string[]
}

/** `[owner] [governance...]` and `--governance`, the same for every command that reads a policy. */
export function takesPolicyFiles(command: Command): Command {
  return command
    .argument('[owner]', `the policy file; else the nearest ${POLICY_FILE} here or above`)
    .argument('[governance...]', 'files whose rules can only tighten')
    .option('--governance <file>', 'one more governance file; may be repeated', collect)
}

function collect(file: string, files: readonly string[] = []): string[] {
  return [...files, file]
}

/** The files a command line means: given, from COUNTERSIGN_GOVERNANCE, or found. */
export function namedFiles(
  owner: string | undefined,
  governance: readonly string[],
  { env, cwd }: Shell,
): Named {
  const outside = [...governance, ...governanceFromEnv(env)]
  const found = owner ?? findPolicy(cwd)
  if (found === undefined && outside.length === 0) {
    throw new CountersignError(
      'policy_unreadable',
      `there is no ${POLICY_FILE} in this folder or above it`,
      { hint: 'Run `countersign init` to make one, or name the file.' },
    )
  }
  return { owner: found, governance: eachOnce(outside, cwd) }
}

/** A file that is named twice, even by two paths, counts once. */
export function eachOnce(files: readonly string[], cwd: string): string[] {
  return [...new Map(files.map((file) => [path.resolve(cwd, file), file])).values()]
}

/** Every mistake of every file, and of the files together. */
export function readPolicy({ owner, governance }: Named, cwd: string): ReadPolicy {
  return parseFiles([
    ...(owner === undefined ? [] : [policyFile('owner', owner, cwd)]),
    ...governance.map((file) => policyFile('governance', file, cwd)),
  ])
}

/** The same for what was read before. */
export function parseFiles(files: readonly PolicyFile[]): ReadPolicy {
  const isOwned = files[0]?.role === 'owner'
  const outside = files.filter(({ role }) => role === 'governance')
  const knownPolicies = new Set(outside.map(({ file }) => path.parse(file).name))
  const documents: PolicyDocument[] = []
  const mistakes: Mistake[] = []
  for (const { role, file, bytes } of files) {
    const source = { file, text: bytes }
    const loaded = role === 'owner' ? loadOwner(source, { knownPolicies }) : loadGovernance(source)
    if (loaded.ok) documents.push(loaded.document)
    else mistakes.push(...loaded.mistakes)
  }
  const warnings = documents.flatMap((document) => document.warnings)
  if (mistakes.length > 0) return { files, documents, mistakes, warnings }
  try {
    const policy = together(isOwned, documents)
    return { files, documents, mistakes, warnings: policy.warnings, policy }
  } catch (error) {
    return { files, documents, mistakes: mistakesOf(error), warnings }
  }
}

/** The same for commands that cannot go on with a broken policy. */
export function loadPolicy(named: Named, cwd: string): LoadedPolicy {
  return withoutMistakes(readPolicy(named, cwd))
}

export function withoutMistakes({ policy, ...read }: ReadPolicy): LoadedPolicy {
  if (!policy) throw policyError(read.mistakes)
  return { ...read, policy }
}

function together(hasOwner: boolean, documents: readonly PolicyDocument[]): Policy {
  const [first, ...rest] = documents
  return hasOwner && first
    ? combinePolicy({ owner: first, governance: rest })
    : combinePolicy({ governance: documents })
}

function mistakesOf(error: unknown): readonly Mistake[] {
  if (!isCountersignError(error, 'policy_invalid')) throw error
  return error.details.mistakes as readonly Mistake[]
}

function policyFile(role: PolicyFile['role'], file: string, cwd: string): PolicyFile {
  return { role, file, bytes: readPolicyBytes(file, cwd) }
}
