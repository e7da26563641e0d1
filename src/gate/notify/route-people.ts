import type { Approval } from '../../approval/approval.ts'
import type { NoticeDraft } from '../../approval/transition.ts'
import type { OnCallState } from '../../base/on-call/on-call.ts'
import type { Approver } from '../../base/oversight.ts'
import type { NotifyRule } from '../../policy/document.ts'
import { notifyRuleFor } from '../../policy/evaluate/notify-rule.ts'
import type { Records } from '../../store/records.ts'
import type { Addressee } from '../people.ts'
import type { Channel, Notice } from './channel.ts'
import { hold, release } from './held.ts'
import { messagesOf } from './messages.ts'
import { standBys } from './on-call-first.ts'
import { type Preferences, preferencesOf } from './preferences.ts'
import { laterFor, wishesUnder } from './routing.ts'

/** What the policy says of who is told, and by which channel. */
export interface RoutingPolicy {
  readonly rules: () => readonly NotifyRule[]
  /** Undefined for a group without a schedule. */
  readonly onCall: (group: string, at: number) => Promise<OnCallState | undefined>
}

export const NO_ROUTING: RoutingPolicy = { rules: () => [], onCall: async () => undefined }

export interface RoutingParts {
  readonly records: Records
  readonly channel: Channel
  /** All of this server. */
  readonly channels: readonly Channel[]
  readonly policy: RoutingPolicy
  readonly draft: NoticeDraft
  readonly now: number
}

/** Who is asked, and what about. */
export interface Audience {
  readonly approval: Approval
  readonly names: readonly Approver[]
}

/** Who is told now. The others are written down first, each with their time. */
export async function toldNow(
  parts: RoutingParts,
  notice: Notice,
  people: readonly Addressee[],
  audience: Audience,
): Promise<readonly Addressee[]> {
  const { records, channel, draft, now } = parts
  const waiting = () => waitingFor(parts, notice, people, audience)
  const first = await waiting()
  const told: Addressee[] = []
  for (const person of people) {
    const chosen = await wishesOf(parts, notice, person)
    const timeOf = async (waits: ReadonlyMap<Addressee, number>) => {
      const earlier = await earlierOf(parts, chosen, notice, person)
      const standBy = waits.get(person) ?? 0
      return laterFor(chosen, notice, { now, channel: channel.name, earlier, standBy })
    }
    const later = await timeOf(first)
    if (!later) {
      told.push(person)
      continue
    }
    const held = { channel: channel.name, person, draft, attempts: 0, ...later }
    const id = await hold(records, held)
    // An address that was gone a moment before brought nothing forward that was not held yet.
    const waits = later.why === 'order' || later.why === 'on-call'
    if (waits && !(await timeOf(await waiting()))) {
      await release(records, id)
      told.push(person)
    }
  }
  return told
}

/** How one person is told of a call: by their own choice, and by what the policy says of it. */
export async function wishesOf(
  { records, policy }: Pick<RoutingParts, 'records' | 'policy'>,
  { approval: { tool, server, ...rated } }: Notice,
  { issuer, subject, groups }: Addressee,
): Promise<Preferences> {
  // What was guessed is no rating, and a call without one fits every rule.
  const risk = rated.riskGuessed ? undefined : rated.risk
  // An address of the policy without an account has chosen nothing.
  const chosen = issuer === undefined ? {} : await preferencesOf(records, { issuer, subject })
  return wishesUnder(chosen, notifyRuleFor(policy.rules(), { tool, server, risk, groups }))
}

function waitingFor(
  parts: RoutingParts,
  notice: Notice,
  people: readonly Addressee[],
  audience: Audience,
): Promise<ReadonlyMap<Addressee, number>> {
  const { channels, policy, now } = parts
  return standBys(
    { notice, people, ...audience },
    {
      onCall: (group) => policy.onCall(group, now),
      async hearsNow(person) {
        const wishes = await wishesOf(parts, notice, person)
        for (const channel of channels) {
          if (!(await reaches(parts, channel, notice, person))) continue
          // A digest that comes first makes the next channel wait as any other message does.
          const earlier = await earlierOf({ ...parts, channel }, wishes, notice, person)
          if (!laterFor(wishes, notice, { now, channel: channel.name, earlier })) return true
        }
        return false
      },
    },
  )
}

/** How many channels the person wants before this one, of those that reach them. */
async function earlierOf(
  parts: RoutingParts,
  { order = [] }: Preferences,
  notice: Notice,
  person: Addressee,
): Promise<number> {
  const { channel, channels } = parts
  if (order.length === 0) return 0
  const at = order.indexOf(channel.name)
  const before = at < 0 ? order : order.slice(0, at)
  let earlier = 0
  for (const name of before) {
    const other = channels.find((one) => one.name === name)
    if (other && (await reaches(parts, other, notice, person))) earlier += 1
  }
  return earlier
}

/** Whether it has an address of this person that is not gone. */
async function reaches(
  { records }: RoutingParts,
  channel: Channel,
  notice: Notice,
  person: Addressee,
): Promise<boolean> {
  const reached = await addressesOf(channel, notice, [person])
  if (reached.length === 0) return false
  const rooms = await addressesOf(channel, notice, [])
  const sent = await messagesOf(records, channel.name, notice.approval.id)
  const gone = sent.filter(({ state }) => state === 'gone').map(({ address }) => address)
  // A place that several people read is no address of this one.
  return reached.some((one) => !rooms.includes(one) && !gone.includes(one))
}

/** A channel that cannot say is as good as none: then the next one tells at once. */
async function addressesOf(
  channel: Channel,
  notice: Notice,
  people: readonly Addressee[],
): Promise<readonly string[]> {
  return (await channel.addresses?.(notice, people).catch(() => [])) ?? []
}
