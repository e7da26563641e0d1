import type { NoticeKind } from '../../approval/transition.ts'
import type { ChannelState, NoticeState, Taken } from '../outbox.ts'
import type { AnyRow, ColumnReaders } from './column-readers.ts'

/** Reads the rows of the outbox, whose columns have the same names in both drivers. */
export function outboxRows<Row extends AnyRow>({ text, integer }: ColumnReaders<Row>) {
  function notice(row: Row): Taken {
    return {
      id: text(row, 'id'),
      channel: text(row, 'channel'),
      approval: text(row, 'approval'),
      kind: text(row, 'kind') as NoticeKind,
      revision: integer(row, 'revision'),
      at: integer(row, 'at'),
      attempts: integer(row, 'attempts'),
    }
  }

  function state(row: Row): NoticeState {
    const { revision: _, ...told } = notice(row)
    return { ...told, state: row.due_at === null ? 'stuck' : 'waiting', ...problem(row) }
  }

  function channel(row: Row): ChannelState {
    return {
      name: text(row, 'name'),
      seenAt: integer(row, 'seen_at'),
      waiting: integer(row, 'waiting'),
      stuck: integer(row, 'stuck'),
      ...problem(row),
    }
  }

  function problem(row: Row): { readonly problem?: string } {
    return row.problem === null ? {} : { problem: text(row, 'problem') }
  }

  return { notice, state, channel }
}
