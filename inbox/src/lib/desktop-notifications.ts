/** Tells a person who looks elsewhere that calls wait. */

import { useEffect, useRef } from 'react'
import type { ApprovalRow } from '../../../src/api/approval.ts'
import { settings } from './settings.ts'

/** Watches for calls that came and that this person may decide. */
export function useNotify(rows: readonly ApprovalRow[] | undefined): void {
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (rows === undefined) return
    const before = known.current
    known.current = new Set([...(before ?? []), ...rows.map(({ id }) => id)])
    if (before === undefined || !document.hidden || !settings().notify) return
    const fresh = rows.filter(({ id, mine }) => mine.may && !before.has(id))
    // Few people are told this way, so the first load goes without it.
    if (fresh.length > 0) void import('./show-notification.ts').then(({ notify }) => notify(fresh))
  }, [rows])
}
