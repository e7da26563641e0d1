/** Tells a person who looks elsewhere that calls wait. Says how many, never what they are about. */

import { useEffect, useRef } from 'react'
import type { ApprovalRow } from '../../../src/api/approval.ts'
import { plural, t } from './language/t.ts'
import { changeSettings, settings } from './settings.ts'

/** Turns it on, if the browser and the person agree. */
export async function askToNotify(): Promise<void> {
  if (!('Notification' in window)) return
  const answer = await Notification.requestPermission()
  changeSettings({ notify: answer === 'granted' })
}

/** Watches for calls that came and that this person may decide. */
export function useNotify(rows: readonly ApprovalRow[] | undefined): void {
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (rows === undefined) return
    const before = known.current
    known.current = new Set([...(before ?? []), ...rows.map(({ id }) => id)])
    if (before === undefined || !document.hidden || !settings().notify) return
    const fresh = rows.filter(({ id, mine }) => mine.may && !before.has(id))
    if (fresh.length > 0) notify(fresh)
  }, [rows])
}

function notify(fresh: readonly ApprovalRow[]): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const high = fresh.filter(({ risk }) => risk === 'L4' || risk === 'L5').length
  const calls = plural(fresh.length, 'A call waits for you', '{n} calls wait for you')
  const body = high > 0 ? t('{calls}, {high} of high risk.', { calls, high }) : `${calls}.`
  // One tag: the next replaces it. Clicking only opens the page; nothing is decided from here.
  const shown = new Notification('Countersign', { body, tag: 'countersign' })
  shown.onclick = () => {
    window.focus()
    shown.close()
  }
}
