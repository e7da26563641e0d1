import { hash as digest } from 'node:crypto'
import type { Content, Event } from '../../approval/transition.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type {
  AdminEvent,
  AuditBody,
  AuditEntry,
  ChainEvent,
  Head,
  SealedEntry,
} from './audit-entry.ts'

export const NO_PREVIOUS = '0'.repeat(64)

/** The tip of this process's own chain. Replaced by the next one only after a commit. */
export interface Tip {
  readonly writer: string
  readonly seq: number
  readonly hash: string
}

export function newTip(writer: string): Tip {
  return { writer, seq: 0, hash: NO_PREVIOUS }
}

export type Recordable = Pick<AuditBody, 'event' | 'refused' | 'state' | 'records' | 'seals'>

export function seal(tip: Tip, record: Recordable): SealedEntry & { readonly tip: Tip } {
  const { writer } = tip
  const seq = tip.seq + 1
  const prev = tip.hash
  const { event, records, refused, seals, state } = record
  // Set in the order of their names, which is how they are hashed.
  const content: { -readonly [K in keyof AuditBody]?: AuditBody[K] } = { event, prev }
  if (records !== undefined) content.records = records
  if (refused !== undefined) content.refused = refused
  if (seals !== undefined) content.seals = seals
  content.seq = seq
  if (state !== undefined) content.state = state
  content.v = 'countersign.event.v1'
  content.writer = writer
  const body = canonical(content)
  const hash = sha256(body)
  return { entry: { ...record, writer, seq, prev, hash }, body, tip: { writer, seq, hash } }
}

/**
 * RFC 8785 for what the state machine made: it holds no number or text that could be refused, so
 * putting the names in order is all there is to do.
 */
function canonical(value: unknown): string {
  return JSON.stringify(inOrder(value))
}

/** The value itself where its names are in order already, as they mostly are. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.some(isNested) ? value.map(inOrder) : value
  const object = value as Record<string, unknown>
  let last = ''
  for (const name in object) {
    if (name < last || (isNested(object[name]) && inOrder(object[name]) !== object[name])) {
      return sortedCopy(object)
    }
    last = name
  }
  return value
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function sortedCopy(object: Record<string, unknown>): Record<string, unknown> {
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(object).sort()) sorted[name] = inOrder(object[name])
  return sorted
}

export function readEntry(body: string, digest: string): AuditEntry {
  const { v: _, ...content } = JSON.parse(body) as AuditBody
  return { ...content, hash: digest }
}

export function isAdminEvent(event: AuditBody['event']): event is AdminEvent {
  return 'command' in event && !('approval' in event || 'grant' in event)
}

export function isApprovalEvent(event: AuditBody['event']): event is Event {
  return 'approval' in event
}

/** What the columns beside an entry repeat of its event. */
export function columnsOf(event: AuditBody['event']) {
  const of = 'revision' in event ? event : undefined
  return {
    approval: isApprovalEvent(event) ? event.approval : null,
    revision: of?.revision ?? null,
    command: 'command' in event ? event.command : null,
    index: of?.index ?? null,
  }
}

// Content was checked where it came in. Here it only has to fit, its text escaped once more.
const CONTENT_LIMITS = { depth: 100, bytes: 16 * 1_048_576, keys: 1_000_000 }

/** Commits an event to its content without revealing it: unguessable without the salt. */
export function sealContent({ key, value }: Content, salt: string): string {
  return sha256(canonicalJson(['countersign.content.v1', salt, key, value], CONTENT_LIMITS))
}

export function sha256(text: string): string {
  return digest('sha256', text)
}

/** How often a chain records the heads of the others. */
export const LINK_MS = 60_000

/** What a transaction finds of the chain it writes to. */
export interface Circumstances {
  readonly tenant: string
  readonly tip: Tip
  /** Time of the newest recorded event, by any process, as far as this process knows. */
  readonly newest: number
  /** Recorded before everything else, when this process has something to say about its chain. */
  readonly opening?: ChainEvent
}

/** How far a committed transaction brought the chain. */
interface Written {
  readonly tip: Tip
  readonly now: number
  readonly entries: readonly unknown[]
}

/** What one open store knows of its own writing: its chain, and how far time had come. */
export interface Session {
  readonly tenant: string
  readonly instance: string
  readonly tip: Tip
  readonly newest: number
  /** Nothing was written yet: this process is not registered and has no chain. */
  readonly isNew: boolean
  /** Whether the heads of the other chains should be recorded in ours. */
  shouldLink(now: number): boolean
  around(now: number, opening: ChainEvent | undefined): Circumstances
  /** An event was recorded at this time, by this process or another. */
  sawEvent(at: number): void
  /** Another tip than we thought: the outcome of a commit was unknown. */
  correct(tip: Tip): void
  committed(written: Written): void
}

export function createSession(tenant: string, instance: string): Session {
  let tip = newTip(instance)
  let newest = 0
  let linkedAt = 0
  return {
    tenant,
    instance,
    get tip() {
      return tip
    },
    get newest() {
      return newest
    },
    get isNew() {
      return tip.seq === 0
    },
    shouldLink: (now) => tip.seq === 0 || Math.abs(now - linkedAt) >= LINK_MS,
    around(now, opening) {
      if (opening) linkedAt = now
      return { tenant, tip, newest, ...(opening ? { opening } : {}) }
    },
    sawEvent(at) {
      newest = Math.max(newest, at)
    },
    correct(actual) {
      tip = actual
    },
    committed(written) {
      tip = written.tip
      if (written.entries.length > 0) newest = Math.max(newest, written.now)
    },
  }
}

/** The first entry of a chain, or a link to what the others wrote since. Undefined: nothing to say. */
export function openingOf(
  session: Session,
  now: number,
  links: readonly Head[],
  code?: string,
): ChainEvent | undefined {
  const { isNew, tenant } = session
  if (!isNew && links.length === 0) return undefined
  const type = isNew ? 'chain.started' : 'chain.linked'
  return { type, tenant, at: now, links, ...(code === undefined ? {} : { code }) }
}
