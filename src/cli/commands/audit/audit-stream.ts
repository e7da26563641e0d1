import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { parseDuration } from '../../../base/duration.ts'
import { AuditProblem } from '../../../gate/audit/audit-problem.ts'
import { usage } from '../../failure.ts'
import { printable } from '../../print/printable.ts'
import type { Run, Shell } from '../../shell.ts'
import { readText } from '../../state/audit-files.ts'
import { openLog } from '../../state/audit-source.ts'
import { databasePlace } from '../../state/database.ts'
import { type Cursor, readCursor, writeCursor } from '../../stream/cursor.ts'
import { fileSink, type Sink } from '../../stream/file-sink.ts'
import { type Batch, nextBatch } from '../../stream/next-batch.ts'
import { syslogSink } from '../../stream/syslog-sink.ts'

interface Options {
  readonly db?: string
  readonly tenant?: string
  readonly to: string
  readonly cursor?: string
  readonly rotate: string
  readonly ca?: string
  readonly every: string
  readonly once?: boolean
}

export function addStream(audit: Command, run: Run): void {
  audit
    .command('stream')
    .description('Pass the record on as it is written: to a file or to a syslog collector.')
    .requiredOption('--to <where>', 'file:PATH, syslog+tls://HOST:6514 or syslog+tcp://HOST:601')
    .option('--db <database>', 'sqlite:PATH or postgres://…')
    .option('--tenant <name>', 'only this tenant')
    .option('--cursor <file>', 'how far it came; else audit-stream.json beside the database')
    .option('--rotate <megabytes>', 'a file that would grow beyond this is moved aside', '100')
    .option('--ca <file>', 'certificates to trust for TLS, in place of those of this machine')
    .option('--every <duration>', 'how often to look for more', '5s')
    .option('--once', 'up to the end as it is now, and no further')
    .addHelpText(
      'after',
      '\nEntries hold ids, codes and digests, never arguments. Each is delivered at least once.' +
        '\n\nExample:\n  $ countersign audit stream --to file:/var/log/countersign/audit.jsonl',
    )
    .action((options: Options) => run((shell) => stream(options, shell)))
}

/** What is in memory at once, and what a kill makes it send again at most. */
const AT_ONCE = 500
const LONGEST_PAUSE = 30_000

async function stream(options: Options, shell: Shell): Promise<number> {
  const sink = sinkOf(options, shell)
  const every = readEvery(options.every)
  const file = cursorFile(options, shell)
  const stopping = untilStopped()
  let cursor = readCursor(file)
  let failures = 0
  while (!stopping.aborted) {
    let isLast = true
    try {
      const batch = await read(cursor, options, shell)
      if (batch.lines.length > 0) {
        await sink(batch.lines)
        writeCursor(file, batch.cursor)
        cursor = batch.cursor
      }
      isLast = batch.isLast
      failures = 0
    } catch (error) {
      if (error instanceof AuditProblem) return tell(error, shell)
      if (options.once) throw error
      failures += 1
      shell.err.line(`not delivered, trying again: ${printable(String(error))}`)
    }
    if (isLast && failures === 0 && options.once) break
    if (!isLast) continue
    const pause = failures === 0 ? every : Math.min(500 * 2 ** failures, LONGEST_PAUSE)
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
  }
  return 0
}

/** The database is left alone while lines are delivered: a slow collector holds nothing up. */
async function read(cursor: Cursor, { db, tenant }: Options, shell: Shell): Promise<Batch> {
  const after = cursor.heads.size === 0 ? undefined : [...cursor.heads.values()]
  const log = await openLog(db, { tenant, after }, shell)
  try {
    return await nextBatch(log, cursor, AT_ONCE)
  } finally {
    await log.close()
  }
}

function tell({ problem }: AuditProblem, { err }: Shell): number {
  err.line(`${problem.code}: ${printable(problem.place)}`)
  err.line(`  ${printable(problem.message)}`)
  err.line('  Run countersign audit verify. After a restored backup, move the cursor away.')
  return 1
}

function cursorFile({ db, cursor }: Options, shell: Shell): string {
  if (cursor !== undefined) return path.resolve(shell.cwd, cursor)
  return path.join(databasePlace(db, shell).folder, 'audit-stream.json')
}

function sinkOf({ to, rotate, ca }: Options, shell: Shell): Sink {
  if (to.startsWith('file:') && to.length > 5) {
    const megabytes = Number(rotate)
    if (!(megabytes > 0)) throw usage(`${rotate} is no number of megabytes`, 'Use such as 100.')
    return fileSink(path.resolve(shell.cwd, to.slice(5)), megabytes * 1_000_000)
  }
  const [, kind, host = '', port] =
    /^syslog\+(tcp|tls):\/\/(\[[\da-f:]+\]|[^/:\s]+)(?::(\d{1,5}))?$/i.exec(to) ?? []
  if (kind === undefined) {
    throw usage(
      `${to} is no place to stream to`,
      'Use file:PATH, syslog+tls://HOST:6514 or syslog+tcp://HOST:601.',
    )
  }
  const tls = kind.toLowerCase() === 'tls'
  return syslogSink({
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? (tls ? 6_514 : 601)),
    tls,
    ...(ca === undefined ? {} : { ca: readText(ca, shell) }),
  })
}

function readEvery(text: string): number {
  const every = parseDuration(text)
  if (every.ok && every.value > 0) return every.value
  throw usage(`${text} is no duration`, 'Use such as 5s or 1m.')
}

function untilStopped(): AbortSignal {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  return stopping.signal
}
