import type { Notice } from '../gate/notify/channel.ts'
import { noticeTitle } from './notice-words.ts'

/** Calls that a digest names; the others are counted. */
const NAMED = 10

/** `3 calls wait for you`, with how many others have news. */
export function digestTitle(notices: readonly Notice[]): string {
  const all = new Set(notices.map(({ approval }) => approval.id))
  const open = new Set(notices.filter(isOpen).map(({ approval }) => approval.id))
  const rest = all.size - open.size
  if (open.size === 0) return `News of ${calls(rest)}`
  const waits = `${calls(open.size)} ${open.size === 1 ? 'waits' : 'wait'} for you`
  return rest === 0 ? waits : `${waits}, news of ${calls(rest)}`
}

/** One line for each call: the last that was said of it. */
export function digestLines(notices: readonly Notice[]): readonly string[] {
  const last = [...new Map(notices.map((one) => [one.approval.id, one])).values()]
  const lines = last.slice(0, NAMED).map(noticeTitle)
  const rest = last.length - lines.length
  return rest === 0 ? lines : [...lines, `and ${rest} more`]
}

/** The inbox, from a link to one of its approvals. */
export function inboxOf([first]: readonly Notice[]): string | undefined {
  return first?.link === undefined ? undefined : new URL('../', first.link).href
}

function isOpen({ question, approval }: Notice): boolean {
  return question && approval.status === 'pending'
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}
