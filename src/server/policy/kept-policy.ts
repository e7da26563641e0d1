import type { PolicyBundle } from '../../api/agent.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { POLICY_RECORD, POLICY_TEXT_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import type { Records } from '../../store/records.ts'

const ACTIVE = 'active'
/** Each character may take six in a record. */
const PART = 10_000
const MOST_PARTS = 1_000

type Files = PolicyBundle['files']

/** What is in force for every process on this database, whatever their own files say. */
export interface KeptPolicy {
  readonly name: string
  readonly revision: number
  /** The role and the digest of each text, as the event that put it into force names them. */
  readonly texts: readonly string[]
  /** Throws `store_damaged` when a text is not what was put into force. */
  files(): Promise<Files>
}

export async function readKept(records: Records): Promise<KeptPolicy | undefined> {
  const found = await records.get(POLICY_RECORD, ACTIVE)
  if (!found) return undefined
  const { value, revision } = found
  const isKept = isPlainObject(value) && typeof value.name === 'string'
  if (!isKept || !Array.isArray(value.files)) throw damaged()
  const { files, name } = value
  return {
    name: String(name),
    revision,
    texts: files.map((file) =>
      isPlainObject(file) ? `${String(file.role)} ${String(file.digest)}` : '',
    ),
    files: () => Promise.all(files.map((file) => readFile(records, file))),
  }
}

async function readFile(records: Records, kept: Json): Promise<Files[number]> {
  if (!isPlainObject(kept)) throw damaged()
  const { role, file, digest, parts } = kept
  const isFile = (role === 'owner' || role === 'governance') && typeof file === 'string'
  if (!isFile || typeof digest !== 'string' || !isCount(parts)) throw damaged()
  const read = await Promise.all(
    Array.from({ length: parts }, (_, n) => records.get(POLICY_TEXT_RECORD, `${digest}/${n}`)),
  )
  const text = read.map((part) => (typeof part?.value === 'string' ? part.value : '')).join('')
  if ((await sha256(text)) !== digest) throw damaged()
  return { role, file, text }
}

function damaged(): CountersignError {
  return new CountersignError('store_damaged', 'the policy in force is not what was recorded')
}

/** A policy file is at most 1 MB; a record that says more was not written here. */
function isCount(parts: unknown): parts is number {
  return Number.isInteger(parts) && Number(parts) >= 0 && Number(parts) <= MOST_PARTS
}

/** For the facts of the event that puts these files into force. */
export function textDigests(files: Files): Promise<string[]> {
  return Promise.all(files.map(async ({ role, text }) => `${role} ${await sha256(text)}`))
}

/** What to write together with the event that says so. */
export async function keeping(
  name: string,
  files: Files,
  expect?: RecordChange['expect'],
): Promise<RecordChange[]> {
  const texts: RecordChange[] = []
  const kept: Json[] = []
  for (const { role, file, text } of files) {
    const digest = await sha256(text)
    const parts = Math.ceil(text.length / PART)
    for (let n = 0; n < parts; n += 1) {
      const value = text.slice(n * PART, (n + 1) * PART)
      texts.push({ kind: POLICY_TEXT_RECORD, id: `${digest}/${n}`, value })
    }
    kept.push({ role, file, digest, parts })
  }
  const active = { kind: POLICY_RECORD, id: ACTIVE, value: { name, files: kept } }
  // Two files may say the same.
  const once = [...new Map(texts.map((one) => [one.id, one])).values()]
  return [{ ...active, ...(expect === undefined ? {} : { expect }) }, ...once]
}
