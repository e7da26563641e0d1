import { useEffect, useReducer, useRef } from 'react'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { answered, lastStatus } from '../../api/live-events.ts'
import { groupIdentical, type Item, type Known, type Steady, steady } from './list-model.ts'

const known: Known = {
  lastStatus: (id) => lastStatus.get(id),
  answered: (id) => answered.get(id),
}

/** Rows from the server as a list that keeps still under the pointer. */
export function useStableList(
  rows: readonly ApprovalRow[],
  viewKey: string,
  hold: boolean,
): Steady {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  const memory = useRef<{ key: string; rows: unknown; hold: boolean; picture: Steady }>(undefined)
  const old = memory.current
  const isSame = old?.key === viewKey && old.rows === rows && old.hold === hold
  const expired = old?.picture.items.some((item) => isOver(item)) ?? false
  if (!isSame || (expired && !hold)) {
    const before = old?.key === viewKey ? old.picture.items : []
    // An empty list has nothing to keep still.
    const still = hold && before.length > 0
    const picture = steady(before, groupIdentical(rows), {
      hold: still,
      now: Date.now(),
      ...known,
    })
    memory.current = { key: viewKey, rows, hold, picture }
  }
  const { picture } = memory.current ?? { picture: { items: [], arrived: 0 } }
  const next = Math.min(...picture.items.map(({ settled }) => settled?.until ?? Infinity))
  useEffect(() => {
    if (next === Infinity || hold) return
    const timer = setTimeout(renderAgain, Math.max(0, next - Date.now()) + 20)
    return () => clearTimeout(timer)
  }, [next, hold])
  return picture
}

function isOver({ settled }: Item): boolean {
  return settled !== undefined && settled.until <= Date.now()
}
