import { open } from 'node:fs/promises'
import path from 'node:path'
import { createSplitter, type Line } from '../../base/lines.ts'
import { type AuditRecord, readLine } from '../../gate/audit/audit-records.ts'
import type { AuditLog, AuditLogOptions } from '../../store/audit/audit-log.ts'
import { usage } from '../failure.ts'
import { why } from '../files.ts'
import type { Shell } from '../shell.ts'
import { assertThere, databasePlace } from './database.ts'

const CHUNK = 65_536
/** A line holds an entry and its content: arguments of a megabyte, escaped. */
const LONGEST_LINE = 16 * 1_048_576

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The records of an exported file, one line in memory at a time. */
export async function* readAuditFile(
  file: string,
  { cwd }: Pick<Shell, 'cwd'>,
): AsyncGenerator<AuditRecord> {
  const splitter = createSplitter(LONGEST_LINE)
  let number = 0
  const records = (lines: readonly Line[]) =>
    lines.map((line) => {
      number += 1
      return recordOf(line, number)
    })
  const handle = await open(path.resolve(cwd, file)).catch((error: unknown) => {
    throw usage(`${file} cannot be read: ${why(error)}`, 'Name a file made by audit export.')
  })
  try {
    const chunk = new Uint8Array(CHUNK)
    for (;;) {
      const { bytesRead } = await handle.read(chunk)
      if (bytesRead === 0) break
      yield* records(splitter.push(chunk.subarray(0, bytesRead)))
    }
    yield* records(splitter.end())
  } finally {
    await handle.close()
  }
}

function recordOf(line: Line, number: number): AuditRecord {
  const place = `line ${number}`
  if (line === undefined) return { kind: 'broken', why: 'the line is too long', place }
  try {
    return readLine(utf8.decode(line), number)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { kind: 'broken', why: 'the line is not UTF-8', place }
  }
}

/** Read only: nothing is migrated, quarantined or locked by looking. */
export async function openLog(
  db: string | undefined,
  options: AuditLogOptions,
  shell: Shell,
): Promise<AuditLog> {
  const place = databasePlace(db, shell)
  assertThere(place)
  // Loaded here: most commands need no database.
  if (place.kind === 'postgres') {
    const { openAuditLog } = await import('../../store/postgres/audit-log.ts')
    return openAuditLog(place.url, options)
  }
  const { openAuditLog } = await import('../../store/sqlite/audit-log.ts')
  return openAuditLog(place.path, options)
}
