import type { AuditRecord } from '../audit-records.ts'
import { type AuditReport, type VerifyAuditOptions, verifyAudit } from '../audit-verify.ts'
import { entryOf, type ReportEntry } from './entry.ts'

/**
 * Verifies a record and hands every entry to `take` on the way. What it collected counts only when
 * the report says `ok`: an entry is handed over before those that could contradict it were read.
 */
export async function readVerified(
  read: () => AsyncIterable<AuditRecord>,
  take: (entry: ReportEntry) => void,
  options: VerifyAuditOptions,
): Promise<AuditReport> {
  let isFirst = true
  async function* tapped(): AsyncGenerator<AuditRecord> {
    // A verifier may read a second time; nothing is counted twice.
    const counts = isFirst
    isFirst = false
    for await (const record of read()) {
      // Behind the yield: it was taken as good by then.
      yield record
      if (counts && record.kind === 'entry') take(entryOf(record))
    }
  }
  return verifyAudit(tapped, options)
}
