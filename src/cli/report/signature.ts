import { hash } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { AuditReport } from '../../gate/audit/audit-verify.ts'
import {
  type ExternalKey,
  openSigned,
  type PublicKey,
  privateSigner,
} from '../../gate/proof/keys.ts'
import type { KeyFolder } from '../../store/vault.ts'

/** What a signature beside a report says: which bytes, and which record they were made from. */
export interface ReportSignature {
  readonly v: 'countersign.report.v1'
  readonly sha256: string
  readonly at: number
  readonly database: string
  readonly entries: number
  /** SHA-256 of the ends of all chains as canonical JSON. */
  readonly heads: string
}

/** Signs with a key of this machine that the record itself names, so that its keys verify it. */
export async function signReport(
  bytes: string,
  {
    keys,
    record,
    at,
  }: {
    readonly keys: KeyFolder | ExternalKey
    readonly record: VerifiedRecord
    readonly at: number
  },
): Promise<string> {
  const { revoked = [] } = record.report
  const counting = record.keys.filter(({ kid }) => !revoked.includes(kid))
  const signer = await privateSigner(keys, counting)
  if (!signer) {
    throw new CountersignError('key_unusable', 'no private key here belongs to this record', {
      hint: 'Run it on the machine of a server that has signed this record, or leave out --sign.',
    })
  }
  const { database, entries, heads } = record.report
  const payload: ReportSignature = {
    v: 'countersign.report.v1',
    sha256: hash('sha256', bytes),
    ...{ at, database, entries },
    heads: hash('sha256', canonicalJson(heads)),
  }
  return signer.sign('countersign-report+jwt', payload as unknown as JsonObject)
}

export interface VerifiedRecord {
  readonly report: AuditReport
  /** Keys that the record names. */
  readonly keys: readonly PublicKey[]
}

/** What was signed about these bytes; undefined where one of these keys did not sign them. */
export async function openReportSignature(
  bytes: string,
  jws: string,
  keys: readonly PublicKey[],
): Promise<(ReportSignature & { readonly kid: string }) | undefined> {
  const opened = await openSigned(jws.trim(), 'countersign-report+jwt', keys)
  if (!opened.ok) return undefined
  const payload = opened.payload as unknown as ReportSignature
  const isThis = payload.v === 'countersign.report.v1' && payload.sha256 === hash('sha256', bytes)
  return isThis ? { ...payload, kid: opened.kid } : undefined
}
