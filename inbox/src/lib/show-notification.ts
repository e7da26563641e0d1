import type { ApprovalRow } from '../../../src/api/approval.ts'
import { plural, t } from './language/t.ts'
import { changeSettings } from './settings.ts'

/** Turns it on, if the browser and the person agree. */
export async function askToNotify(): Promise<void> {
  if (!('Notification' in window)) return
  const answer = await Notification.requestPermission()
  changeSettings({ notify: answer === 'granted' })
}

/** Says how many calls wait, never what they are about. */
export function notify(fresh: readonly ApprovalRow[]): void {
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
