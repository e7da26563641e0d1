import type { NoticeDraft, NoticeKind } from '../../approval/transition.ts'
import {
  CHANNEL_MS,
  NOTICES_SHOWN,
  type NoticeState,
  type Outbox,
  openKinds,
  overtakenUntil,
  problemText,
  type Taken,
} from '../outbox.ts'

interface Row extends Taken {
  readonly dueAt: number | undefined
  readonly problem: string | undefined
}

function isOvertaken({ attempts, dueAt = 0, problem }: Row, until: number | undefined): boolean {
  if (until === undefined) return false
  return problem !== undefined || (attempts > 0 && dueAt <= until)
}

interface OpenChannel {
  readonly seenAt: number
  readonly problem: string | undefined
  readonly kinds: readonly NoticeKind[]
}

export interface MemoryOutbox {
  readonly outbox: Outbox
  write(drafts: readonly NoticeDraft[], now: number): void
}

export function createMemoryOutbox(clock: () => number): MemoryOutbox {
  const channels = new Map<string, OpenChannel>()
  let rows: Row[] = []

  function change(taken: Taken, to: (row: Row) => Row | undefined): boolean {
    let isChanged = false
    rows = rows.flatMap((row) => {
      const isIt =
        row.id === taken.id && row.channel === taken.channel && row.attempts === taken.attempts
      if (!isIt) return [row]
      isChanged = true
      return to(row) ?? []
    })
    return isChanged
  }

  function isNext(row: Row, index: number, overtaken: number | undefined): boolean {
    return !rows.some(
      (other, place) =>
        place < index &&
        other.channel === row.channel &&
        other.approval === row.approval &&
        other.dueAt !== undefined &&
        !isOvertaken(other, overtaken),
    )
  }

  function stateOf({ id, channel, approval, kind, at, attempts, dueAt, problem }: Row) {
    const state: NoticeState['state'] = dueAt === undefined ? 'stuck' : 'waiting'
    const why = problem === undefined ? {} : { problem }
    return { id, channel, approval, kind, at, attempts, state, ...why }
  }

  return {
    write(drafts, now) {
      for (const [channel, { seenAt, problem, kinds }] of channels) {
        if (problem !== undefined || seenAt <= now - CHANNEL_MS) continue
        for (const draft of drafts) {
          if (!kinds.includes(draft.kind)) continue
          rows.push({ ...draft, channel, attempts: 0, dueAt: now, problem: undefined })
        }
      }
    },
    outbox: {
      async open(channel, given) {
        const kinds = openKinds(channels.get(channel)?.kinds, given)
        channels.set(channel, { seenAt: clock(), problem: undefined, kinds })
      },
      async shut(channel, problem) {
        const text = problemText(problem)
        const known = channels.get(channel)
        if (known) channels.set(channel, { ...known, problem: text })
        rows = rows.map((row) =>
          row.channel === channel ? { ...row, dueAt: undefined, problem: text } : row,
        )
      },
      async take(names, options) {
        const { limit, lease } = options
        const now = clock()
        const overtaken = overtakenUntil(now, options)
        const due = rows
          .filter(
            (row, index) =>
              names.includes(row.channel) &&
              row.dueAt !== undefined &&
              row.dueAt <= now &&
              isNext(row, index, overtaken),
          )
          .slice(0, limit)
        for (const row of due) {
          change(row, () => ({ ...row, dueAt: now + lease, attempts: row.attempts + 1 }))
        }
        return due.map(({ dueAt: _, problem: __, ...taken }) => ({
          ...taken,
          attempts: taken.attempts + 1,
        }))
      },
      async settle(taken, end) {
        return change(taken, (row) => {
          if (end.end === 'done') return undefined
          const dueAt = end.end === 'later' ? clock() + end.after : undefined
          return { ...row, dueAt, problem: problemText(end.problem) }
        })
      },
      async summary() {
        const count = (of: readonly Row[]) => {
          const stuck = of.filter(({ dueAt }) => dueAt === undefined).length
          return { waiting: of.length - stuck, stuck }
        }
        return {
          ...count(rows),
          channels: [...channels].sort().map(([name, { seenAt, problem }]) => ({
            name,
            seenAt,
            ...count(rows.filter(({ channel }) => channel === name)),
            ...(problem === undefined ? {} : { problem }),
          })),
          notices: rows.slice(0, NOTICES_SHOWN).map(stateOf),
        }
      },
      async retry() {
        const stuck = rows.filter(({ dueAt }) => dueAt === undefined)
        rows = rows.map((row) =>
          row.dueAt === undefined ? { ...row, dueAt: clock(), attempts: 0 } : row,
        )
        return stuck.length
      },
    },
  }
}
