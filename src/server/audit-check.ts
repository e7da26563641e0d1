import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { ChainReport } from '../api/audit.ts'
import { type AuditRecord, lineOf, recordsOf } from '../gate/audit/audit-records.ts'
import { verifyAudit } from '../gate/audit/audit-verify.ts'
import type { AuditLog, AuditLogOptions } from '../store/audit/audit-log.ts'

/** Opens everything recorded, read only and at one moment. */
export type OpenAuditLog = (options: AuditLogOptions) => Promise<AuditLog>

/** Whether the record is intact, found out here and now, from the rows themselves. */
export interface AuditCheck {
  /** What the last check found; undefined when there was none. */
  last(): ChainReport | undefined
  /** One check at a time: concurrent callers share its result. */
  run(): Promise<ChainReport>
  /** The lines of an exported file, without content. */
  lines(): AsyncGenerator<string>
}

export interface AuditCheckParts {
  readonly open: OpenAuditLog
  readonly tenant: string
  readonly now: () => Promise<number>
}

/** Others get a turn after this long. */
const AT_ONCE_MS = 3

export function createAuditCheck({ open, tenant, now }: AuditCheckParts): AuditCheck {
  let found: ChainReport | undefined
  let running: Promise<ChainReport> | undefined

  async function check(): Promise<ChainReport> {
    const checkedAt = await now()
    const begun = performance.now()
    const log = await open({})
    try {
      const report = await verifyAudit(
        () => inTurns(recordsOf(log, { at: checkedAt, rows: true })),
        {
          hash: (text) => createHash('sha256').update(text).digest('hex'),
        },
      )
      const { ok, entries, writers, checkpoints, uncovered, checkpointAt, signedBy } = report
      return {
        ok,
        entries,
        writers,
        checkpoints,
        uncovered,
        ...(checkpointAt === undefined ? {} : { checkpointAt }),
        signedBy,
        checkedAt,
        tookMs: Math.round(performance.now() - begun),
        ...(report.problem === undefined ? {} : { problem: report.problem }),
      }
    } finally {
      await log.close()
    }
  }

  return {
    last: () => found,
    run() {
      running ??= check()
        .then((report) => {
          found = report
          return report
        })
        .finally(() => {
          running = undefined
        })
      return running
    },
    async *lines() {
      const log = await open({ tenant })
      try {
        const at = await now()
        for await (const record of inTurns(recordsOf(log, { tenant, at }))) {
          yield `${lineOf(record)}\n`
        }
      } finally {
        await log.close()
      }
    },
  }
}

/** A long record must not block other requests. */
async function* inTurns(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord> {
  let began = performance.now()
  for await (const record of records) {
    yield record
    if (performance.now() - began < AT_ONCE_MS) continue
    await turn()
    began = performance.now()
  }
}
