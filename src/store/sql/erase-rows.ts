import type { Approval } from '../../approval/approval.ts'
import type { ContentKind } from '../../approval/transition.ts'
import type { OldRow } from '../engine/erasable.ts'
import type { AnyRow, ColumnReaders } from './column-readers.ts'

/** Reads the rows that may be erased, whose columns have the same names in both drivers. */
export function eraseRows<Row extends AnyRow>({ text, integer }: ColumnReaders<Row>) {
  return {
    old(row: Row): OldRow {
      const { approval, body } = row
      return {
        position: integer(row, 'position'),
        at: integer(row, 'at'),
        ...(typeof approval === 'string' ? { approval } : {}),
        ...(typeof body === 'string' ? { body } : {}),
      }
    },
    piece(row: Row, approvals: ReadonlyMap<string, Approval>) {
      return {
        position: integer(row, 'position'),
        at: integer(row, 'at'),
        key: text(row, 'key'),
        kind: text(row, 'kind') as ContentKind,
        text: text(row, 'value'),
        approval: approvals.get(text(row, 'approval')),
      }
    },
  }
}
