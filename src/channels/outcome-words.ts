import { NOTICE_KINDS } from '../approval/transition.ts'
import { visibleLine } from '../base/visible-text.ts'
import type { NoticeApproval } from '../gate/notify/channel.ts'

/** For channels that cannot change what they sent: one more message per vote would be too many. */
export const WITHOUT_VOTES = NOTICE_KINDS.filter((kind) => kind !== 'voted')

const LONGEST_NAME = 60
const MOST_NAMES = 4

const RAN: Readonly<Record<string, string>> = {
  running: 'running',
  succeeded: 'ran',
  failed: 'ran and failed',
  unknown: 'it is not known whether it ran',
}

/** `approved by Ana and Bo · ran`. Names of people are foreign text, too. */
export function outcomeOf(approval: NoticeApproval): string {
  const { status } = approval
  const by = decidersIn(approval)
  const said = by === undefined ? status : `${status} by ${by}`
  const ran = ranOf(approval)
  return ran === undefined ? said : `${said} · ${ran}`
}

/** What became of it after the yes; undefined as long as it did not begin to run. */
export function ranOf({ execution }: NoticeApproval): string | undefined {
  return execution === undefined ? undefined : RAN[execution]
}

/** `Ana and Bo`; undefined: no person decided it. */
export function decidersIn({ decidedBy = [] }: NoticeApproval): string | undefined {
  const names = [...new Set(decidedBy.map(({ name }) => visibleLine(name, LONGEST_NAME)))]
  const more = names.length - MOST_NAMES
  const said = more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names
  const last = said.at(-1)
  if (last === undefined || said.length === 1) return last
  return `${said.slice(0, -1).join(', ')} and ${last}`
}

/** When the last of them decided. */
export function decidedAt({ decidedBy = [] }: NoticeApproval): number | undefined {
  return decidedBy.length === 0 ? undefined : Math.max(...decidedBy.map(({ at }) => at))
}

/** `1 of 2 agreed`; undefined while there is no vote, and where one is enough. */
export function agreedOf({ met }: NoticeApproval): string | undefined {
  return met && `${met.have} of ${met.need} agreed`
}
