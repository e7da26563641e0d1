import { randomUUID } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CountersignError } from '../base/errors.ts'

/**
 * Replaces a file as a whole, if it still holds what was read; undefined: if there is none. A reader
 * finds the old text or the new one, whatever crashes.
 */
export function replaceFile(file: string, before: string | undefined, after: string): void {
  const mode = before === undefined ? 0o644 : statSync(file).mode
  // A link stays a link.
  const place = before === undefined ? file : realpathSync(file)
  if (before !== undefined && readFileSync(place, 'utf8') !== before) throw changed()
  if (before === undefined) {
    writeNew(place, after, mode)
    return
  }
  const beside = path.join(path.dirname(place), `.${path.basename(place)}.${randomUUID()}`)
  try {
    writeNew(beside, after, mode)
    renameSync(beside, place)
  } catch (cause) {
    rmSync(beside, { force: true })
    throw cause
  }
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') throw changed()
    throw new CountersignError(
      'usage',
      `the policy file cannot be written (${code ?? 'unknown'})`,
      {
        hint: 'Add the lines to the file yourself, or let the server write there.',
        cause,
      },
    )
  }
}

function changed(): CountersignError {
  return new CountersignError('policy_changed', 'the policy file was changed at the same moment', {
    hint: 'Look at what it says now, then try again.',
  })
}
