import type { ApprovalCard } from '../../api/approval.ts'
import { wrap } from '../../base/wrap.ts'
import { printable } from '../print/printable.ts'
import { pathText } from '../print/show-approval.ts'
import { jsonLines } from '../print/show-values.ts'

/** Long enough to read it, short enough for a screen that is left unattended. */
export const SHOWN_MS = 20_000

/** One hidden value, for a moment. It is on record who looks. */
export interface Revealed {
  readonly id: string
  readonly digest: string
  readonly path: readonly string[]
  readonly value: unknown
  /** Hides then by itself; on the server's clock, as the screen knows it. */
  readonly until: number
  readonly top: number
}

export function revealedLines({ path, value }: Revealed, columns: number): string[] {
  return [`${printable(pathText(path))}:`, ...jsonLines(value)].flatMap((line) =>
    wrap(line, columns),
  )
}

/** A value is shown only for the call that is on the screen. */
export function stillShown(
  revealed: Revealed | undefined,
  card: ApprovalCard | undefined,
): Revealed | undefined {
  const isSame = card?.id === revealed?.id && card?.digest === revealed?.digest
  return isSame && card?.can.includes('reveal') ? revealed : undefined
}

/** `1 card.number, 2 env.TOKEN`: what there is to choose from. */
export function hiddenNames({ masked }: ApprovalCard): string {
  if (masked.length === 1) return masked.map(pathText).map(printable).join('')
  return masked.map((path, at) => `${at + 1} ${printable(pathText(path))}`).join(', ')
}

/** The one that was chosen: by its number, or without a word where there is one only. */
export function chosenPath({ masked }: ApprovalCard, typed: string): readonly string[] | undefined {
  const only = masked.length === 1 && typed === ''
  return only ? masked[0] : /^\d{1,4}$/.test(typed) ? masked[Number(typed) - 1] : undefined
}
