import type { Approval } from '../../approval/approval.ts'
import { type Hold, heldApproval, holdOn } from '../../approval/holds/hold.ts'
import type { ContentKind } from '../../approval/transition.ts'
import { isPlainObject } from '../../base/json/json.ts'

/** A row that its age alone would let go. */
export interface OldRow {
  readonly position: number
  readonly at: number
  /** What the content belongs to: an approval, or an event that concerns none. */
  readonly approval?: string
  /** Of an observed call. */
  readonly body?: string
}

/** One piece of content, for a caller that decides whether it goes. */
export interface ContentPiece {
  readonly key: string
  readonly kind: ContentKind
  /** The value as JSON. */
  readonly text: string
  /** Absent: it came with an event that concerns no approval. */
  readonly approval?: Approval | undefined
}

export interface ErasedPieces {
  readonly erased: number
  /** Wanted, and kept: the call can still be decided or run, or a hold keeps it. */
  readonly kept: number
}

export type Wanted = (piece: ContentPiece) => boolean

/** Positions of those that no hold keeps. Called inside of the transaction that erases them. */
export function notHeld(
  holds: readonly Hold[],
  rows: readonly OldRow[],
  approvals: ReadonlyMap<string, Approval>,
): number[] {
  return rows.flatMap((row) => (isKept(holds, row, approvals) ? [] : [row.position]))
}

function isKept(
  holds: readonly Hold[],
  { at, approval, body }: OldRow,
  approvals: ReadonlyMap<string, Approval>,
): boolean {
  if (body !== undefined) return isObservationHeld(holds, body, at)
  const known = approval === undefined ? undefined : approvals.get(approval)
  // Reasons of locks and the like name none of what a hold names: any hold keeps them.
  return known === undefined ? holds.length > 0 : holdOn(holds, heldApproval(known)) !== undefined
}

/** Whom an observed call was for is not always known, so a hold on a person keeps it as well. */
function isObservationHeld(holds: readonly Hold[], body: string, at: number): boolean {
  const loose = holds.flatMap(({ target: { approval, person: _, ...target }, ...hold }) =>
    approval === undefined ? [{ ...hold, target }] : [],
  )
  const call = callIn(body)
  if (!call) return holds.length > 0
  const what = { approvals: [], people: [], from: at, to: at }
  return holdOn(loose, { ...what, ...call }) !== undefined
}

function callIn(body: string) {
  const { call } = JSON.parse(body) as { readonly call?: unknown }
  if (!isPlainObject(call) || typeof call.tool !== 'string') return undefined
  const { agent, server, tool } = call
  return {
    agents: typeof agent === 'string' ? [agent] : [],
    server: typeof server === 'string' ? server : undefined,
    tool,
  }
}

export interface WantedPieces {
  /** Positions. */
  readonly free: readonly number[]
  readonly kept: number
}

/** Which of these pieces go. Called inside of the transaction that erases them. */
export function wantedPieces(
  pieces: readonly (ContentPiece & { readonly position: number; readonly at: number })[],
  { holds, isWanted }: { readonly holds: readonly Hold[]; readonly isWanted: Wanted },
): WantedPieces {
  const wanted = pieces.filter((piece) => piece.kind !== 'policy' && isWanted(piece))
  const free = wanted.filter(({ approval }) => {
    if (approval === undefined) return holds.length === 0
    return !isNeeded(approval) && holdOn(holds, heldApproval(approval)) === undefined
  })
  return { free: free.map(({ position }) => position), kept: wanted.length - free.length }
}

/** It can be decided, can run, or a person has to resolve it: until then its content is needed. */
export function isNeeded({ status, execution }: Pick<Approval, 'status' | 'execution'>): boolean {
  if (status === 'pending') return true
  return (
    status === 'approved' &&
    (execution === undefined || execution.state === 'running' || execution.state === 'unknown')
  )
}
