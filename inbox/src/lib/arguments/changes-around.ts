import { type ChangedLine, changedLines } from '../../../../src/api/arguments/line-diff.ts'

const AROUND = 2

/** The lines that differ, and a few around them. */
export function changesAround(before: string, after: string): readonly ChangedLine[] {
  const all = changedLines(before, after)
  const near = new Set(
    all.flatMap(({ kind }, at) =>
      kind === 'same' ? [] : Array.from({ length: 2 * AROUND + 1 }, (_, n) => at + n - AROUND),
    ),
  )
  return all.filter((_, at) => near.has(at))
}
