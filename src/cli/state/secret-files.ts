import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { usage } from '../failure.ts'

/** Far beyond any secret: a wrong path must not be read without end. */
const MOST_BYTES = 65_536

/**
 * The secret alone in a file, as containers and systemd hand it over. Editors and `echo` leave a
 * line break at the end, which is not part of it.
 */
export function readSecretFile(setting: string, file: string, cwd: string): string {
  let text: string
  try {
    text = beginningOf(path.resolve(cwd, file)).replace(/\r?\n$/, '')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw usage(`${setting} cannot be read (${why})`, 'Name a file that this user may read.')
  }
  if (text === '' || Buffer.byteLength(text) > MOST_BYTES || /[\r\n\0]/.test(text)) {
    throw usage(`${setting} names no file with one line`, 'Put the secret alone into the file.')
  }
  return text
}

/** All of it, or one byte more than a secret may have: devices and pipes need not end. */
function beginningOf(file: string): string {
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  const opened = openSync(file, 'r')
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(opened, bytes, length, bytes.length - length, null)
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(opened)
  }
}
