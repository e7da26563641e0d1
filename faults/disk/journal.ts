/** What happened to the files, in order, as shim.c wrote it down. */
export type DiskRecord = { readonly sequence: bigint } & (
  | {
      readonly kind: 'write'
      readonly file: bigint
      readonly offset: number
      readonly data: Buffer
    }
  | { readonly kind: 'truncate'; readonly file: bigint; readonly size: number }
  | { readonly kind: 'sync'; readonly file: bigint }
  | { readonly kind: 'syncfail'; readonly file: bigint }
  | { readonly kind: 'create'; readonly file: bigint; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink' | 'mkdir' | 'rmdir' | 'syncdir'; readonly path: string }
)

const MAGIC = 0x4b_53_49_44
const HEADER = 40
const KINDS = [
  undefined,
  'write',
  'truncate',
  'sync',
  'create',
  'rename',
  'unlink',
  'mkdir',
  'syncdir',
  'link',
  'rmdir',
  'syncfail',
] as const

/** One journal per process. The last record of a killed process may be cut off, and is left out. */
export function readJournals(journals: readonly Buffer[]): DiskRecord[] {
  return journals
    .flatMap(readJournal)
    .sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0))
}

function readJournal(journal: Buffer): DiskRecord[] {
  const records: DiskRecord[] = []
  for (let at = 0; at + HEADER <= journal.length; ) {
    if (journal.readUInt32LE(at) !== MAGIC) throw new Error('a journal of the disk is damaged')
    const kind = KINDS[journal.readUInt32LE(at + 4)]
    const sequence = journal.readBigUInt64LE(at + 8)
    const file = journal.readBigUInt64LE(at + 16)
    const offset = Number(journal.readBigUInt64LE(at + 24))
    const first = journal.readUInt32LE(at + 32)
    const second = journal.readUInt32LE(at + 36)
    const from = at + HEADER
    at = from + first + second
    if (at > journal.length) break
    const data = journal.subarray(from, from + first)
    const path = data.toString()
    if (kind === 'write') records.push({ sequence, kind, file, offset, data })
    else if (kind === 'truncate') records.push({ sequence, kind, file, size: offset })
    else if (kind === 'sync') records.push({ sequence, kind, file })
    else if (kind === 'syncfail') records.push({ sequence, kind, file })
    else if (kind === 'create') records.push({ sequence, kind, file, path })
    else if (kind === 'rename' || kind === 'link') {
      records.push({ sequence, kind, path, to: journal.subarray(from + first, at).toString() })
    } else if (kind !== undefined) records.push({ sequence, kind, path })
    else throw new Error('a journal of the disk has a record of no kind')
  }
  return records
}
