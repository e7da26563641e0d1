import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { csvLine } from '../../../base/csv.ts'
import { type AuditRecord, recordsOf } from '../../../gate/audit/audit-records.ts'
import { readVerified } from '../../../gate/audit/report/read-report.ts'
import { type PublicKey, readPublicKey } from '../../../gate/proof/keys.ts'
import { usage } from '../../failure.ts'
import { whyNotWritten } from '../../files.ts'
import { printable } from '../../print/printable.ts'
import { htmlOf } from '../../report/html.ts'
import {
  type Made,
  REPORTS,
  type ReportKind,
  type ReportOptions,
  reportOf,
} from '../../report/reports.ts'
import { openReportSignature, signReport, type VerifiedRecord } from '../../report/signature.ts'
import type { Run, Shell } from '../../shell.ts'
import { type KeyFile, readCheckpoints, readKeys, readText } from '../../state/audit-files.ts'
import { openLog, readAuditFile } from '../../state/audit-source.ts'
import { databasePlace } from '../../state/database.ts'
import { signingKeys } from '../../state/signing-keys.ts'

interface Options extends ReportOptions {
  readonly db?: string
  readonly content?: boolean
  readonly format?: Format
  readonly out?: string
  readonly sign?: boolean
  readonly keys?: string
  readonly checkpoint?: string
}

const FORMATS = ['html', 'csv', 'json'] as const
type Format = (typeof FORMATS)[number]

export function addReport(audit: Command, run: Run): void {
  audit
    .command('report')
    .description(
      'Make a report from a record that verifies: who approved what, who had access, where duties meet, or what was held.',
    )
    .addArgument(new Argument('<kind>', 'what it is about').choices(REPORTS))
    .argument('[file]', 'an exported file; without it, the database')
    .option('--db <database>', 'sqlite:PATH or postgres://…')
    .option('--since <time>', 'from then on: 2026-01-31, a full ISO time, or 30d ago as 30d')
    .option('--until <time>', 'before then')
    .option('--at <time>', 'access: who had it at this moment; now unless given')
    .option('--approval <id>', 'call: the one call')
    .option('--tool <name>', 'only calls of this tool')
    .option('--agent <name>', 'only calls of this agent')
    .option('--person <subject>', 'only calls that this person answered')
    .option('--tenant <name>', 'only this tenant')
    .option('--content', 'questions and reasons too, as far as they were not erased')
    .addOption(
      new Option('--format <format>', 'by the ending of --out unless given, else json').choices(
        FORMATS,
      ),
    )
    .option('--out <file>', 'write to this file; it must not exist yet')
    .option('--sign', 'write FILE.jws beside it, signed with the key of this server')
    .option('--keys <file>', 'believe only these keys: a JSON Web Key Set')
    .option('--checkpoint <file>', 'an older export, or a checkpoint that you kept, to hold it to')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign audit report approvals --since 90d --out approvals.html --sign',
    )
    .action((kind: ReportKind, file: string | undefined, options: Options) =>
      run((shell) => make(kind, file, options, shell)),
    )
  audit
    .command('check-report')
    .description('Check the signature beside a report.')
    .argument('<report>', 'the file that was written with --sign')
    .option('--signature <file>', 'REPORT.jws unless given')
    .option('--keys <file>', 'keys that you trust: a JSON Web Key Set; else those of the database')
    .option('--db <database>', 'sqlite:PATH or postgres://…')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign audit check-report approvals.html --keys jwks.json',
    )
    .action((file: string, options: CheckOptions) => run((shell) => check(file, options, shell)))
}

async function make(
  kind: ReportKind,
  file: string | undefined,
  options: Options,
  shell: Shell,
): Promise<number> {
  const now = Date.now()
  const format = options.format ?? formatOf(options.out)
  if (options.sign && options.out === undefined) {
    throw usage('--sign needs a file to sign', 'Add --out FILE.')
  }
  const report = reportOf(kind, options, now)
  const record = await verified(file, options, shell, (entry) =>
    report.take(options.content ? entry : { ...entry, content: () => undefined }),
  )
  const { problem } = record.report
  if (problem) {
    shell.err.line(
      `The record does not verify, so no report was made. ${problem.code}: ${printable(problem.place)}`,
    )
    shell.err.line(`  ${printable(problem.message)}`)
    shell.err.line(`  ${problem.hint}`)
    return 1
  }
  const made = report.made()
  const text = textOf(made, { format, record, now })
  if (options.out === undefined) await shell.out.write(text)
  else await keep(text, options.out, { ...options, record, now }, shell)
  return 0
}

function formatOf(out: string | undefined): Format {
  const ending = out === undefined ? '' : path.extname(out).slice(1).toLowerCase()
  return FORMATS.find((one) => one === ending) ?? 'json'
}

/** Goes through the whole record: only then it is known that no entry of the report was changed. */
async function verified(
  file: string | undefined,
  options: Options,
  shell: Shell,
  take: Parameters<typeof readVerified>[1],
): Promise<VerifiedRecord> {
  const keys: PublicKey[] = []
  async function* withKeys(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord> {
    for await (const record of records) {
      if (record.kind === 'key') {
        const key = await readPublicKey(record.jwk)
        if (key) keys.push(key)
      }
      yield record
    }
  }
  const checks = {
    ...(options.keys === undefined ? {} : await readKeys(options.keys, shell)),
    checkpoints: options.checkpoint === undefined ? [] : readCheckpoints(options.checkpoint, shell),
    hash: (text: string) => hash('sha256', text),
  }
  if (file !== undefined) {
    const read = () => withKeys(readAuditFile(file, shell))
    return { report: await readVerified(read, take, checks), keys }
  }
  const log = await openLog(options.db, { content: true }, shell)
  try {
    const read = () => withKeys(recordsOf(log, { at: Date.now(), rows: true }))
    return { report: await readVerified(read, take, checks), keys }
  } finally {
    await log.close()
  }
}

function textOf(
  { title, covers, tables, data }: Made,
  { format, record, now }: { format: Format; record: VerifiedRecord; now: number },
): string {
  const { database, entries, checkpointAt, uncovered, partial } = record.report
  const made = new Date(now).toISOString()
  if (format === 'json') {
    const head = { made, database, entries, uncovered, partial, ...data }
    return `${JSON.stringify(head, undefined, 2)}\n`
  }
  if (format === 'csv') {
    return tables.flatMap(({ columns, rows }) => [csvLine(columns), ...rows.map(csvLine)]).join('')
  }
  const signed =
    checkpointAt === undefined
      ? 'No checkpoint was signed yet.'
      : `Last signed checkpoint: ${new Date(checkpointAt).toISOString()}; ${uncovered} entries are newer.`
  const from = `Made ${made} from ${entries} verified entries of database ${database}. ${signed}`
  const part = partial ? ['It is part of a record: what came before it was not looked at.'] : []
  return htmlOf({ title, notes: [...covers, from, ...part], tables })
}

async function keep(
  text: string,
  out: string,
  options: Pick<Options, 'sign' | 'db'> & { readonly record: VerifiedRecord; readonly now: number },
  shell: Shell,
): Promise<void> {
  const { record, now } = options
  // First: without a key there is no report that was meant to be signed.
  const signing = options.sign
    ? await signingKeys(databasePlace(options.db, shell), shell)
    : undefined
  const keys = signing && (signing.signingKey ?? signing.keys)
  const jws = keys && (await signReport(text, { keys, record, at: now }))
  writeNew(out, text, shell)
  if (jws !== undefined) writeNew(`${out}.jws`, `${jws}\n`, shell)
  const signed = jws === undefined ? '' : `, signed in ${printable(`${out}.jws`)}`
  shell.out.line(`${printable(out)}${signed}: from ${record.report.entries} verified entries`)
}

/** Never over a file that is there: an older report may be evidence. */
function writeNew(file: string, text: string, { cwd }: Shell): void {
  try {
    writeFileSync(path.resolve(cwd, file), text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw usage(
      `${file} cannot be written: ${isThere ? 'it exists already' : whyNotWritten(error as Error)}`,
      'Name a new file in a folder that you may write to.',
    )
  }
}

interface CheckOptions {
  readonly signature?: string
  readonly keys?: string
  readonly db?: string
  readonly json?: boolean
}

async function check(file: string, options: CheckOptions, shell: Shell): Promise<number> {
  const bytes = readText(file, shell)
  const jws = readText(options.signature ?? `${file}.jws`, shell)
  const { keys, revoked } =
    options.keys === undefined
      ? await keysOfDatabase(options.db, shell)
      : await readKeys(options.keys, shell)
  // Nothing but the key says when a report was signed, so one that was revoked vouches for none.
  const counting = keys.filter(({ kid }) => !revoked.includes(kid))
  const signed = await openReportSignature(bytes, jws, counting)
  if (options.json) shell.out.json(signed ? { ok: true, ...signed } : { ok: false })
  else if (signed) {
    const at = new Date(signed.at).toISOString()
    shell.out.line(`Signed ${at} by key ${signed.kid}, from ${signed.entries} verified entries`)
  } else {
    shell.out.line('These bytes were not signed with a key that counts here.')
  }
  return signed ? 0 : 1
}

async function keysOfDatabase(db: string | undefined, shell: Shell): Promise<KeyFile> {
  const log = await openLog(db, {}, shell)
  try {
    const keys: PublicKey[] = []
    for await (const { jwk } of log.keys()) {
      const key = await readPublicKey(jwk)
      if (key) keys.push(key)
    }
    const revoked: string[] = []
    for await (const { body } of log.entries()) {
      if (!body.includes('"key.revoked"')) continue
      const { event } = JSON.parse(body) as { event: { type?: string; facts?: { key?: string } } }
      if (event.type === 'key.revoked' && event.facts?.key) revoked.push(event.facts.key)
    }
    return { keys, revoked }
  } finally {
    await log.close()
  }
}
