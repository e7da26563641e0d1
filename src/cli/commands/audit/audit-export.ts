import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { lineOf, recordsOf } from '../../../gate/audit/audit-records.ts'
import { usage } from '../../failure.ts'
import { whyNotWritten } from '../../files.ts'
import { timeOf } from '../../options/time-option.ts'
import { printable, visibleJson } from '../../print/printable.ts'
import { progressLine, progressWords } from '../../print/progress-line.ts'
import { count } from '../../print/show-mistakes.ts'
import type { Run, Shell } from '../../shell.ts'
import { openLog } from '../../state/audit-source.ts'

interface Options {
  readonly db?: string
  readonly since?: string
  readonly tenant?: string
  readonly content?: boolean
  readonly out?: string
  readonly json?: boolean
}

const SHOWN_EVERY = 10_000

export function addExport(audit: Command, run: Run): void {
  audit
    .command('export')
    .description(
      'Export the audit record as JSON Lines that can be verified without this database.',
    )
    .option('--db <database>', 'sqlite:PATH or postgres://…')
    .option(
      '--since <time>',
      'only what came later: 2026-01-31, a full ISO time, or 30d ago as 30d',
    )
    .option('--tenant <name>', 'only this tenant')
    .option('--content', 'arguments, reasons and results too, as far as they were not erased')
    .option('--out <file>', 'write to this file; it must not exist yet')
    .option('--json', 'the record is JSON in any case; with --out, print a summary as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign audit export --since 30d --out audit.jsonl')
    .action((options: Options) => run((shell) => exportRecord(options, shell)))
}

async function exportRecord(options: Options, shell: Shell): Promise<number> {
  const { tenant, content, out } = options
  const at = Date.now()
  const since =
    options.since === undefined ? undefined : timeOf(options.since, { option: '--since', now: at })
  const log = await openLog(options.db, { tenant, since, content }, shell)
  try {
    const sink =
      out === undefined ? shellSink(shell) : await fileSink(path.resolve(shell.cwd, out), out)
    let entries = 0
    // Beside what is written to the same terminal, a line of its own would be in the way.
    const line = out === undefined && shell.out.terminal ? undefined : progressLine(shell)
    for await (const record of recordsOf(log, { tenant, since, at })) {
      if (record.kind === 'entry') entries += 1
      const full = sink.write(`${visibleJson(lineOf(record))}\n`)
      if (full !== undefined) await full
      if (sink.isClosed()) break
      if (entries % SHOWN_EVERY === 0 && record.kind === 'entry') {
        line?.show(progressWords(entries, 'entries', 'exported'))
      }
    }
    await sink.end()
    line?.clear()
    if (out !== undefined) tell({ file: out, entries }, options.json ?? false, shell)
    return 0
  } finally {
    await log.close()
  }
}

function tell(summary: { file: string; entries: number }, json: boolean, { out }: Shell): void {
  if (json) out.json(summary)
  else out.line(`${count(summary.entries, 'entry', 'entries')} in ${printable(summary.file)}`)
}

interface Sink {
  /** The promise, if any, resolves when there is room for more. */
  write(text: string): Promise<void> | undefined
  isClosed(): boolean
  end(): Promise<void>
}

function shellSink({ out }: Shell): Sink {
  return {
    write: out.write,
    isClosed: out.closed,
    end: async () => {},
  }
}

/** Never over a file that is there: an older export may be the only proof. */
async function fileSink(file: string, shown: string): Promise<Sink> {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const fail = () => {
    const isThere = (failure as NodeJS.ErrnoException | undefined)?.code === 'EEXIST'
    return usage(
      `${shown} cannot be written: ${isThere ? 'it exists already' : whyNotWritten(failure)}`,
      'Name a new file in a folder that you may write to.',
    )
  }
  await once(stream, 'open').catch(() => {})
  if (failure) throw fail()
  return {
    write(text) {
      if (failure) throw fail()
      if (stream.write(text)) return undefined
      return once(stream, 'drain').then(
        () => {},
        () => {
          throw fail()
        },
      )
    },
    isClosed: () => false,
    async end() {
      stream.end()
      await once(stream, 'close').catch(() => {})
      if (failure) throw fail()
    },
  }
}
