import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import type {
  AuditLog,
  AuditLogOptions,
  EntryColumns,
  LoggedRow,
  NamedRows,
} from '../../store/audit/audit-log.ts'

/** One line of an exported file, or what a database holds in its place. */
export type AuditRecord =
  | ExportRecord
  | KeyRecord
  | CheckpointRecord
  | EntryRecord
  | RowRecord
  | EndRecord
  | BrokenRecord

/** First: what follows, and how much of it. */
export interface ExportRecord {
  readonly kind: 'export'
  readonly v: 'countersign.audit.v1'
  readonly database: string
  /** When it was exported, in milliseconds. */
  readonly at: number
  /** Only this tenant's entries are here. */
  readonly tenant?: string
  /** Only what came after is here, so chains begin in the middle. */
  readonly since?: number
  /** Rows follow the entries. Never so in a file. */
  readonly rows?: true
  /** Ends of chains, first of all entries; what came before them is not here. Never so in a file. */
  readonly after?: readonly Head[]
}

export interface KeyRecord {
  readonly kind: 'key'
  readonly tenant: string
  readonly jwk: Json
}

export interface CheckpointRecord {
  readonly kind: 'checkpoint'
  readonly tenant: string
  readonly n: number
  readonly jws: string
  readonly place: string
}

export interface EntryRecord {
  readonly kind: 'entry'
  readonly hash: string
  /** The text that is hashed. */
  readonly text: string
  /** Content that was not erased, by its key. */
  readonly content: { readonly [key: string]: SealedValue }
  /** What a database says beside the text. */
  readonly columns?: EntryColumns
  readonly place: string
}

/** A row as it stands in a database. Files hold none: they tell what happened. */
export interface RowRecord {
  readonly kind: 'row'
  readonly row: LoggedRow
}

export interface SealedValue {
  readonly salt: string
  readonly value: Json
}

/** Last: a file that was cut off has none. */
export interface EndRecord {
  readonly kind: 'end'
  readonly entries: number
}

/** A line that is none of these. */
export interface BrokenRecord {
  readonly kind: 'broken'
  readonly why: string
  readonly place: string
}

/** Bodies are small, but nothing except this limits what a damaged database holds. */
const LIMITS = { bytes: 16_777_216, depth: 104, keys: 1_000_000 }

export interface RecordsOptions extends AuditLogOptions {
  readonly at: number
  /** The rows too, to be held against the entries. For verifying a whole database. */
  readonly rows?: boolean
}

/** Everything in a database, in the order of an exported file. */
export async function* recordsOf(
  log: AuditLog,
  { tenant, since, after, at, rows = false }: RecordsOptions,
): AsyncGenerator<AuditRecord> {
  yield {
    kind: 'export',
    v: 'countersign.audit.v1',
    database: log.database,
    at,
    ...(tenant === undefined ? {} : { tenant }),
    ...(since === undefined ? {} : { since }),
    ...(rows && log.rows ? { rows: true } : {}),
    ...(after === undefined ? {} : { after }),
  }
  for await (const { tenant, jwk } of log.keys()) yield { kind: 'key', tenant, jwk: value(jwk) }
  for await (const { tenant, n, jws } of log.checkpoints()) {
    yield { kind: 'checkpoint', tenant, n, jws, place: `checkpoint ${n}` }
  }
  let entries = 0
  const touched = createTouched()
  const covered = new Map(after?.map(({ writer, seq }) => [writer, seq]))
  for await (const { hash, body, columns, content } of log.entries()) {
    entries += 1
    const { writer, seq } = columns
    if (after && covered.get(writer) !== seq) touched.add(columns, body)
    const place = `entry ${seq} of writer ${writer}`
    const kept = content.map(({ key, salt, value: text }) => [key, { salt, value: value(text) }])
    yield { kind: 'entry', hash, text: body, columns, content: Object.fromEntries(kept), place }
  }
  if (rows) {
    const found = after ? log.rowsOf?.(touched.rows()) : log.rows?.()
    for await (const row of found ?? []) yield { kind: 'row', row }
  }
  yield { kind: 'end', entries }
}

/** What entries are about, by tenant. */
function createTouched() {
  const byTenant = new Map<string, { approvals: Set<string>; grants: Set<string> }>()
  return {
    add({ tenant, approval, type }: EntryColumns, body: string): void {
      const own = byTenant.get(tenant) ?? { approvals: new Set(), grants: new Set() }
      byTenant.set(tenant, own)
      if (approval !== null) own.approvals.add(approval)
      if (!type.startsWith('grant.')) return
      const entry = value(body)
      const event = isPlainObject(entry) ? entry.event : undefined
      if (isPlainObject(event) && typeof event.grant === 'string') own.grants.add(event.grant)
    },
    rows: (): NamedRows[] =>
      [...byTenant].map(([tenant, { approvals, grants }]) => {
        return { tenant, approvals: [...approvals], grants: [...grants] }
      }),
  }
}

/** A value as JSON text holds it; text that is no JSON stays text, and matches no seal. */
function value(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** A record as one line of a file, without the newline. */
export function lineOf(record: AuditRecord): string {
  switch (record.kind) {
    case 'entry': {
      const { kind, hash, text, content } = record
      const kept = Object.keys(content).length === 0 ? {} : { content }
      return JSON.stringify({ kind, hash, body: value(text), ...kept })
    }
    case 'checkpoint': {
      const { kind, tenant, n, jws } = record
      return JSON.stringify({ kind, tenant, n, jws })
    }
    default:
      return JSON.stringify(record)
  }
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  export: ['kind', 'v', 'database', 'at', 'tenant', 'since'],
  key: ['kind', 'tenant', 'jwk'],
  checkpoint: ['kind', 'tenant', 'n', 'jws'],
  entry: ['kind', 'hash', 'body', 'content'],
  end: ['kind', 'entries'],
}

/** Reads one line of a file. Never throws: what it cannot read is a record too. */
export function readLine(line: string, number: number): AuditRecord {
  const place = `line ${number}`
  try {
    return read(parseStrict(line, LIMITS), place)
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return { kind: 'broken', why: error.message, place }
  }
}

function read(line: Json, place: string): AuditRecord {
  if (!isPlainObject(line)) throw unknown('it is not an object')
  const kind = typeof line.kind === 'string' && Object.hasOwn(MEMBERS, line.kind) ? line.kind : ''
  const stranger = Object.keys(line).find((name) => !MEMBERS[kind]?.includes(name))
  if (stranger !== undefined) throw unknown(`it has a member ${stranger}`)
  switch (line.kind) {
    case 'export':
      if (line.v !== 'countersign.audit.v1') throw unknown('its version is unknown')
      return line as unknown as ExportRecord
    case 'key':
      return { kind: 'key', tenant: text(line.tenant), jwk: (line.jwk ?? null) as Json }
    case 'checkpoint': {
      const { tenant, n, jws } = line
      return { kind: 'checkpoint', tenant: text(tenant), n: Number(n), jws: text(jws), place }
    }
    case 'entry': {
      const { hash, body, content = {} } = line
      const canonical = typeof body === 'string' ? body : canonicalJson(body, LIMITS)
      return { kind: 'entry', hash: text(hash), text: canonical, content: sealed(content), place }
    }
    case 'end':
      return { kind: 'end', entries: Number(line.entries) }
    default:
      throw unknown('its kind is none of ours')
  }
}

function sealed(content: unknown): EntryRecord['content'] {
  if (!isPlainObject(content)) throw unknown('its content is not an object')
  const isSealed = (one: unknown) =>
    isPlainObject(one) && typeof one.salt === 'string' && one.value !== undefined
  if (!Object.values(content).every(isSealed)) throw unknown('its content has no salt')
  return content as EntryRecord['content']
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw unknown('a text is missing')
}

function unknown(why: string): CountersignError {
  return new CountersignError('invalid_value', `the line is not understood: ${why}`)
}
