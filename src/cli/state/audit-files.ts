import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isPlainObject } from '../../base/json/json.ts'
import { readLine } from '../../gate/audit/audit-records.ts'
import { type PublicKey, readKeySet } from '../../gate/proof/keys.ts'
import { usage } from '../failure.ts'
import { why } from '../files.ts'
import type { Shell } from '../shell.ts'

/** Keys that a reader trusts, and which of them it knows to be revoked. */
export interface KeyFile {
  readonly keys: readonly PublicKey[]
  readonly revoked: readonly string[]
}

/** The keys of a file that are believed instead of those in the record. */
export async function readKeys(file: string, shell: Pick<Shell, 'cwd'>): Promise<KeyFile> {
  let value: unknown
  try {
    value = JSON.parse(readText(file, shell))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw usage(`${file} is not JSON`, 'Name a JSON Web Key Set: { "keys": [ … ] }.')
  }
  const keys = await readKeySet(value)
  const marked = isPlainObject(value) && Array.isArray(value.keys) ? value.keys : []
  const revoked = await readKeySet(marked.filter((key) => isPlainObject(key) && 'revoked' in key))
  if (keys.length > 0) return { keys, revoked: revoked.map(({ kid }) => kid) }
  throw usage(`${file} holds no Ed25519 key`, 'Name a JSON Web Key Set: { "keys": [ … ] }.')
}

/** Checkpoints of an older export, or one signed text per line. */
export function readCheckpoints(file: string, shell: Pick<Shell, 'cwd'>): string[] {
  const found = readText(file, shell)
    .split('\n')
    .map((line) => line.trim())
    .flatMap((line) => {
      if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(line)) return [line]
      if (!line.includes('"checkpoint"')) return []
      const record = readLine(line, 0)
      return record.kind === 'checkpoint' ? [record.jws] : []
    })
  if (found.length > 0) return found
  throw usage(
    `${file} holds no checkpoint`,
    'Name an older export, or a file with its signed text.',
  )
}

export function readText(file: string, { cwd }: Pick<Shell, 'cwd'>): string {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8')
  } catch (error) {
    throw usage(
      `${file} cannot be read: ${why(error)}`,
      'Check its name, and that you may read it.',
    )
  }
}
