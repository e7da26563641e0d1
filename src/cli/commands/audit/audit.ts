import { hash } from 'node:crypto'
import type { Command } from 'commander'
import type { Problem } from '../../../gate/audit/audit-problem.ts'
import { recordsOf } from '../../../gate/audit/audit-records.ts'
import { type Vouching, vouchedBy } from '../../../gate/audit/audit-since.ts'
import {
  type AuditReport,
  type VerifyAuditOptions,
  verifyAudit,
} from '../../../gate/audit/audit-verify.ts'
import { usage } from '../../failure.ts'
import { printable } from '../../print/printable.ts'
import { progressLine, progressWords } from '../../print/progress-line.ts'
import { count } from '../../print/show-mistakes.ts'
import type { Run, Shell } from '../../shell.ts'
import { readCheckpoints, readKeys } from '../../state/audit-files.ts'
import { openLog, readAuditFile } from '../../state/audit-source.ts'
import { addExport } from './audit-export.ts'
import { addReport } from './audit-report.ts'
import { addStream } from './audit-stream.ts'
import { addHold } from './hold.ts'

interface Options {
  readonly db?: string
  readonly keys?: string
  readonly checkpoint?: string
  readonly sinceCheckpoint?: string
  readonly json?: boolean
}

export function addAudit(program: Command, run: Run): void {
  const audit = program
    .command('audit')
    .description('Verify and export the record of everything that was asked, decided and run.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign audit export --out audit.jsonl')
  audit
    .command('verify')
    .description(
      'Verify every entry, chain, seal, signature and row of the audit record; stops at the first failure.',
    )
    .argument('[file]', 'an exported file; without it, the database')
    .option('--db <database>', 'sqlite:PATH or postgres://…')
    .option('--keys <file>', 'believe only these keys: a JSON Web Key Set')
    .option('--checkpoint <file>', 'an older export, or a checkpoint that you kept, to hold it to')
    .option(
      '--since-checkpoint <file>',
      'only what came after a checkpoint that you kept: fast, and not the whole record',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign audit verify audit.jsonl --keys jwks.json')
    .action((file: string | undefined, options: Options) =>
      run((shell) => verify(file, options, shell)),
    )
  addExport(audit, run)
  addReport(audit, run)
  addStream(audit, run)
  addHold(audit, run)
}

async function verify(file: string | undefined, options: Options, shell: Shell): Promise<number> {
  const { checkpoint, sinceCheckpoint } = options
  if (file !== undefined && sinceCheckpoint !== undefined) {
    throw usage(
      '--since-checkpoint reads a database, and not a file',
      'Leave out the file, or verify all of it with --checkpoint.',
    )
  }
  const kept = (from: string | undefined) =>
    from === undefined ? [] : readCheckpoints(from, shell)
  const since = kept(sinceCheckpoint)
  const line = progressLine(shell)
  const checks = {
    ...(options.keys === undefined ? {} : await readKeys(options.keys, shell)),
    checkpoints: [...kept(checkpoint), ...since],
    hash: (text: string) => hash('sha256', text),
    progress: (many: number, of: 'entries' | 'rows') =>
      line.show(progressWords(many, of, of === 'rows' ? 'compared' : 'verified')),
  }
  const report =
    file === undefined
      ? await verifyDatabase(options.db, { ...checks, since }, shell)
      : await verifyAudit(() => readAuditFile(file, shell), checks)
  line.clear()
  if (options.json) shell.out.json(report)
  else show(report, options.keys !== undefined, shell)
  return report.ok ? 0 : 1
}

async function verifyDatabase(
  db: string | undefined,
  { since, ...checks }: Checks & { readonly since: readonly string[] },
  shell: Shell,
): Promise<AuditReport> {
  const vouching = since.length === 0 ? undefined : await readVouched(db, since, checks, shell)
  if (vouching?.ok === false) return nothingRead(vouching.problem)
  const after = vouching?.vouched.heads
  const log = await openLog(db, { content: true, after }, shell)
  try {
    const records = () => recordsOf(log, { at: Date.now(), rows: true, after })
    const report = await verifyAudit(records, checks)
    return vouching ? { ...report, since: vouching.vouched.checkpoints } : report
  } finally {
    await log.close()
  }
}

type Checks = VerifyAuditOptions & { readonly hash: (text: string) => string }

async function readVouched(
  db: string | undefined,
  since: readonly string[],
  { keys, hash }: Checks,
  shell: Shell,
): Promise<Vouching> {
  const log = await openLog(db, {}, shell)
  try {
    return await vouchedBy(log, since, { keys, hash })
  } finally {
    await log.close()
  }
}

/** Without a checkpoint to begin from, nothing is. */
function nothingRead(problem: Problem): AuditReport {
  const none = { entries: 0, writers: 0, checkpoints: 0, uncovered: 0, signedBy: [], heads: [] }
  const content = { checked: 0, absent: 0 }
  return { ok: false, database: '', ...none, content, partial: true, problem }
}

function show(report: AuditReport, areKeysGiven: boolean, { out }: Shell): void {
  const { problem, uncovered, checkpointAt, content } = report
  const looked = [
    count(report.entries, 'entry', 'entries'),
    count(report.writers, 'chain'),
    count(report.checkpoints, 'checkpoint'),
    `${count(content.checked, 'piece')} of content`,
  ].join(', ')
  if (problem) {
    out.line(`${out.paint(['bold', 'red'], problem.code)}: ${printable(problem.place)}`)
    out.line(`  ${printable(problem.message)}`)
    out.line(`  ${problem.hint}`)
    out.line(`Looked at ${looked} before that.`)
    return
  }
  out.line(`${out.paint(['bold', 'green'], 'The record is intact')}: ${looked}`)
  for (const { tenant, n, at } of report.since ?? []) {
    const when = new Date(at).toISOString()
    out.line(`From checkpoint ${n} of tenant ${printable(tenant)} on, which was signed ${when}.`)
  }
  if (report.since) {
    out.line('Entries before it, and rows that no later entry tells of, were not looked at.')
  } else if (report.partial) {
    out.line('It is part of a record: what came before it was not looked at.')
  }
  if (checkpointAt !== undefined) {
    out.line(`Last signed ${new Date(checkpointAt).toISOString()}.`)
    const believed = areKeysGiven ? 'Signed by' : 'Signed by, and compare this with what you know,'
    for (const kid of report.signedBy) out.line(`${believed} key ${printable(kid)}`)
  }
  if (uncovered > 0) {
    const what = count(uncovered, 'entry is', 'entries are')
    out.line(
      `${what} newer than the last checkpoint, so nothing but the database vouches for them.`,
    )
  }
}
