import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { CountersignError } from '../base/errors.ts'

export const POLICY_FILE = 'countersign.yaml'

// One byte more than the loader takes: enough for it to see that a file is too large.
const MOST = 1_048_576 + 1

/** A file's bytes. Never more than a policy may have, so that /dev/zero ends as well. */
export function readPolicyBytes(file: string, cwd: string): Uint8Array {
  try {
    return readAtMost(path.resolve(cwd, file), MOST)
  } catch (error) {
    throw new CountersignError('policy_unreadable', `${file} cannot be read: ${why(error)}`, {
      hint: 'Check the name of the file and that you may read it.',
      cause: error,
    })
  }
}

const NO_WAITING = constants.O_NONBLOCK ?? 0
const NO_FILE = 'it is a pipe or a device, not a file'

function readAtMost(file: string, most: number): Uint8Array {
  // Opening a pipe waits for its writer, which may never come, and a hook that hangs blocks nothing.
  // What a shell hands over (`<(…)`, /dev/stdin) is named by the user who runs the command.
  const isHandedOver = file.startsWith('/dev/')
  const handle = openSync(file, isHandedOver ? 'r' : constants.O_RDONLY | NO_WAITING)
  try {
    const about = fstatSync(handle)
    if (!isHandedOver && !about.isFile() && !about.isDirectory()) throw new Error(NO_FILE)
    const chunks: Uint8Array[] = []
    for (let left = most; left > 0; ) {
      const chunk = new Uint8Array(Math.min(left, 65_536))
      const read = readSync(handle, chunk)
      if (read === 0) break
      chunks.push(chunk.subarray(0, read))
      left -= read
    }
    return Buffer.concat(chunks)
  } finally {
    closeSync(handle)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  ENAMETOOLONG: 'its name is too long',
}

/** Why the system refused to write, in words. */
export function whyNotWritten(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'its folder does not exist'
  return code === 'EACCES' || code === 'EPERM' ? 'you may not write there' : why(error)
}

/** Why the system refused, in words. */
export function why(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && Object.hasOwn(REASONS, code)) return REASONS[code] ?? code
  return code ?? (error instanceof Error ? error.message : String(error))
}

/** The nearest countersign.yaml in this folder or above, named as seen from here. */
export function findPolicy(cwd: string): string | undefined {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, POLICY_FILE)
    if (existsSync(file)) return path.relative(cwd, file)
    if (folder === path.dirname(folder)) return undefined
  }
}

/** COUNTERSIGN_GOVERNANCE: files separated as in PATH, or by commas. */
export function governanceFromEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  const text = env.COUNTERSIGN_GOVERNANCE ?? ''
  const separator = path.delimiter === ';' ? /[;,]/ : /[:,]/
  return text
    .split(separator)
    .map((file) => file.trim())
    .filter((file) => file !== '')
}
