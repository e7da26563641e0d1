import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { packageVersion } from '../../../app/version.ts'
import type { Json, JsonObject } from '../../../base/json/json.ts'
import { configure } from '../../config/effective.ts'
import { usage } from '../../failure.ts'
import { whyNotWritten } from '../../files.ts'
import { printable } from '../../print/printable.ts'
import type { Run, Shell } from '../../shell.ts'
import { databasePlace, type Place } from '../../state/database.ts'
import { readServerFile } from '../../state/server-file.ts'
import { redacted } from '../../watch/redact.ts'
import { settingsShown } from '../config.ts'
import { findingsOf } from '../doctor.ts'
import { takesStart } from '../start.ts'

interface Options {
  readonly out?: string
  readonly logFile?: string
  readonly db?: string
  readonly tenant?: string
  readonly policy?: string
}

export function addSupport(program: Command, run: Run): void {
  const support = program.command('support')
  takesStart(support)
    .description(
      'Write one file for those who help you: versions, settings, doctor, metrics, errors.',
    )
    .option('--out <file>', 'the file to write; it must not exist yet', 'countersign-support.json')
    .option('--log-file <file>', 'add the last warnings and errors of this log of the server')
    .addHelpText(
      'after',
      '\nSecrets, addresses of people, arguments and reasons are not in it. Read it before you send it.' +
        '\n\nExample:\n  $ countersign support --log-file /var/log/countersign.log',
    )
    .action((options: Options) => run((shell) => write(support, options, shell)))
}

async function write(command: Command, options: Options, given: Shell): Promise<number> {
  const { shell, settings } = configure(command, given)
  const place = databasePlace(options.db, shell)
  const server = readServerFile(place, options.tenant)
  const at = server?.local ?? server?.url
  const bundle: JsonObject = {
    v: 'countersign.support.v1',
    made: new Date().toISOString(),
    versions: versionsHere(),
    settings: settingsShown(settings),
    database: { kind: place.kind, schema: await schemaOf(place) },
    doctor: (await findingsOf({ ...options, tools: 'none' }, shell)) as unknown as Json,
    server: at === undefined ? null : await answersOf(at, server?.version),
    log: options.logFile === undefined ? null : lastLines(options.logFile, shell),
  }
  const known = [
    ...settings.flatMap(({ setting, items }) =>
      setting.isSecret || setting.isCapability ? items : [],
    ),
    ...Object.entries(shell.env).flatMap(([name, value = '']) =>
      /^(?:COUNTERSIGN_|PG)/.test(name) && SECRET_VARIABLE.test(name) ? [value] : [],
    ),
    ...Object.entries(shell.env).flatMap(([name, value = '']) =>
      /^COUNTERSIGN_.*_FILE$/.test(name) ? linesOf(value, shell) : [],
    ),
    ...(server?.hook ? [server.hook.key] : []),
  ]
  const out = options.out ?? 'countersign-support.json'
  save(out, `${JSON.stringify(redacted(bundle, known), undefined, 2)}\n`, shell)
  shell.out.line(`${printable(out)} is written. Read it before you send it.`)
  return 0
}

/** A secret that a file holds. One that cannot be read is in nothing that was read, either. */
function linesOf(file: string, { cwd }: Shell): string[] {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

const SECRET_VARIABLE = /TOKEN|SECRET|PASSWORD|KEY|WEBHOOK|URL$|_DB$/

function versionsHere(): JsonObject {
  const { node, v8, sqlite = null, openssl } = process.versions
  return {
    countersign: packageVersion(),
    ...{ node, v8, sqlite, openssl },
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    processors: os.availableParallelism(),
    memoryMb: Math.round(os.totalmem() / 1_048_576),
  }
}

/** Its version, or why that cannot be said. */
async function schemaOf(place: Place): Promise<Json> {
  try {
    if (place.kind === 'postgres') {
      const { checkDatabase } = await import('../../../store/postgres/admin/check.ts')
      return (await checkDatabase(place.url, place.direct)).schema as unknown as Json
    }
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(place.path, { readOnly: true })
    try {
      return Number(db.prepare('pragma user_version').get()?.user_version)
    } finally {
      db.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

async function answersOf(url: string, version: string | undefined): Promise<JsonObject> {
  const ask = async (place: string): Promise<Json> => {
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(new URL(place, url), { signal }).catch(() => undefined)
    if (!answer) return 'no answer'
    const body = (await answer.text()).split('\n')
    return { status: answer.status, body }
  }
  return {
    version: version ?? null,
    ready: await ask('/readyz'),
    metrics: await ask('/metrics'),
  }
}

const MOST_LINES = 200
const MOST_BYTES = 4_000_000
const TOLD = /"level":"(?:warn|error|fatal)"|\b(?:warning|error|problem|fatal)\b/i

function lastLines(file: string, { cwd }: Shell): Json {
  try {
    const text = readFileSync(path.resolve(cwd, file), 'utf8').slice(-MOST_BYTES)
    return text
      .split('\n')
      .filter((line) => TOLD.test(line))
      .slice(-MOST_LINES)
  } catch (error) {
    throw usage(
      `--log-file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      'Name the file that the log of the server goes to.',
    )
  }
}

function save(out: string, text: string, { cwd }: Shell): void {
  try {
    writeFileSync(path.resolve(cwd, out), text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw usage(
      `${out} cannot be written: ${isThere ? 'it exists already' : whyNotWritten(error as Error)}`,
      'Name a new file with --out.',
    )
  }
}
