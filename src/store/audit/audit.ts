import { hash as digest } from 'node:crypto'
import type { Content, Event } from '../../approval/transition.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { AdminEvent, AuditBody, AuditEntry, SealedEntry } from './audit-entry.ts'

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
  const content = { writer, seq, prev: tip.hash, ...record }
  const body = canonical({ v: 'countersign.event.v1', ...content } satisfies AuditBody)
  const hash = sha256(body)
  return { entry: { ...content, hash }, body, tip: { writer, seq, hash } }
}

/**
 * RFC 8785 for what the state machine made: it holds no number or text that could be refused, so
 * putting the names in order is all there is to do.
 */
function canonical(value: unknown): string {
  return JSON.stringify(inOrder(value))
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    sorted[name] = inOrder((value as Record<string, unknown>)[name])
  }
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
