import type { Status } from '../../approval/approval.ts'

/** How often one tool was asked about since some moment, and what became of it. */
export interface ToolCount {
  readonly server?: string
  readonly tool: string
  /** The entry points these calls came through. */
  readonly doors: readonly string[]
  /** All of them, whatever became of them; those a grant let through among them. */
  readonly asked: number
  readonly approved: number
  readonly denied: number
}

/** As many calls of one tool as came through one door and ended the same way. */
export interface CountedCalls {
  readonly server: string | undefined
  readonly tool: string
  /** Undefined where it was asked before doors were kept. */
  readonly door: string | undefined
  readonly status: Status
  readonly n: number
}

/** The most asked first. */
export function toolCounts(calls: readonly CountedCalls[]): ToolCount[] {
  const byTool = Map.groupBy(calls, ({ server, tool }) => JSON.stringify([server ?? null, tool]))
  return [...byTool.values()]
    .map((own): ToolCount => {
      const { server, tool } = own[0] as CountedCalls
      const count = (status?: Status) =>
        own
          .filter((one) => status === undefined || one.status === status)
          .reduce((sum, { n }) => sum + n, 0)
      return {
        ...(server === undefined ? {} : { server }),
        tool,
        doors: [...new Set(own.flatMap(({ door }) => door ?? []))].sort(),
        asked: count(),
        approved: count('approved'),
        denied: count('denied'),
      }
    })
    .sort((a, b) => b.asked - a.asked || (a.tool < b.tool ? -1 : 1))
}

/** For both SQL stores: reads an index and nothing else, however long the record is. */
export const COUNT_COLUMNS = 'tool, server, door, status'
