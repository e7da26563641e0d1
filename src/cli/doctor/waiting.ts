import { undelivered } from '../../gate/notify/undelivered.ts'
import type { ChannelState, NoticeState } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import { count } from '../print/show-mistakes.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** A server that serves a channel says so every few seconds. */
const UNSERVED_MS = 10 * 60_000

/** Whether people hear of what waits for them. */
export async function noticeFindings(
  store: Pick<Store, 'outbox' | 'records' | 'now'>,
): Promise<Finding[]> {
  const { channels, notices, stuck } = await undelivered(store)
  const now = await store.now()
  const findings = [
    ...channels.flatMap((channel) => channelFinding(channel, now)),
    ...stuckFinding(stuck, notices),
    ...laterFinding(notices),
  ]
  return findings.length > 0 ? findings : [ok('notices', 'no notice is stuck or failing')]
}

function channelFinding(channel: ChannelState, now: number): Finding[] {
  const { name, problem: why, waiting, seenAt } = channel
  if (why !== undefined) {
    const says = `nothing is sent to ${name} any more: ${why}`
    return [problem('notices', says, 'Mend its other end, then start the server again.')]
  }
  if (waiting === 0 || now - seenAt < UNSERVED_MS) return []
  const says = `${count(waiting, 'notice')} for ${name} wait, and no server has served it for ${minutes(now - seenAt)}`
  return [warning('notices', says, 'Start a server with this channel, as before.')]
}

function stuckFinding(stuck: number, notices: readonly NoticeState[]): Finding[] {
  if (stuck === 0) return []
  const oldest = notices.find(({ state }) => state === 'stuck')
  const says = `${count(stuck, 'notice')} could not be sent and will not be tried again${because(oldest)}`
  return [problem('notices', says, 'Mend that, then run `countersign notices --retry`.')]
}

/** Waiting for the next try is no harm by itself; people hear later than they could. */
function laterFinding(notices: readonly NoticeState[]): Finding[] {
  const failed = notices.filter(({ state, problem: why }) => state === 'waiting' && why)
  if (failed.length === 0) return []
  const says = `${count(failed.length, 'notice')} failed and will be tried again${because(failed[0])}`
  return [warning('notices', says, 'Mend that; `countersign notices` shows each of them.')]
}

function because(notice: NoticeState | undefined): string {
  return notice?.problem === undefined
    ? ''
    : `; the oldest, for ${notice.channel}: ${notice.problem}`
}

function minutes(ms: number): string {
  return count(Math.floor(ms / 60_000), 'minute')
}

/** As many as a line holds. */
const NAMED = 3

/** Pending questions that the remaining approvers cannot approve. */
export function unreachableFindings(
  found: readonly { readonly id: string; readonly rule: string }[],
): Finding[] {
  if (found.length === 0) return [ok('questions', 'every waiting question can still be approved')]
  const named = found.slice(0, NAMED).map(({ id, rule }) => `${id} (${rule})`)
  const rest = found.length > NAMED ? ` and ${found.length - NAMED} more` : ''
  return [
    problem(
      'questions',
      `the remaining approvers cannot approve ${count(found.length, 'waiting question')}: ${named.join(', ')}${rest}`,
      'Give a person the role or the group (`countersign people role`), or deny them; otherwise they run out.',
    ),
  ]
}
