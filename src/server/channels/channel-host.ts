import type { Person } from '../../approval/people/person.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import type { SignInProvider } from '../../gate/notify/sign-in-provider.ts'
import type { RefusedAttempts } from '../evidence/refused-attempts.ts'
import { aboutApproval, GATE } from '../http/attempt.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { type AnsweringParts, answering } from './answering.ts'
import { channelNotes } from './channel-notes.ts'
import { channelRequests } from './channel-requests.ts'
import type { Links } from './links.ts'

export interface HostParts extends AnsweringParts {
  readonly links: Links
  /** Where people sign in with one. */
  readonly provider: SignInProvider | undefined
  readonly link: (approval: string) => string | undefined
  readonly report: (line: string) => void
  readonly attempts: Pick<RefusedAttempts, 'note'>
}

/**
 * What one channel may do. Who answers is looked up by what the channel proved, in this channel and
 * no other; what they may is decided by the gate.
 */
export function channelHost(channel: string, parts: HostParts): ChannelHost {
  const { store, gate, accounts, links } = parts
  const guesses = createRateLimit({ most: 10, windowMs: 60_000, what: 'codes from this account' })

  const { able, card } = answering(parts)

  async function personBehind(from: ChatAccount): Promise<Person> {
    const link = await links.find(channel, from)
    const account = link && (await accounts.get(link.person))
    return able(account, 'chat')
  }

  return {
    card: async (from, id) => card(await personBehind(from), id),
    async decide(from, { approval, verdict, seen, reason }) {
      let by: Person | undefined
      try {
        by = await personBehind(from)
        const words = reason === undefined ? {} : { reason }
        return await gate.approvals.decide(approval, { by, verdict, seen, ...words })
      } catch (error) {
        const { issuer, subject } = by ?? {}
        const who = issuer && subject ? { person: { issuer, subject } } : GATE
        if (isCountersignError(error)) {
          const at = `channel ${channel}`
          parts.attempts.note({ code: error.code, by: who, at, ...aboutApproval(error, approval) })
        }
        throw error
      }
    },
    async claimLink(from, code) {
      guesses.take(JSON.stringify([from.workspace, from.id]))
      await links.claim(channel, from, code)
    },
    async accountsOf(person) {
      const own = await links.of(person)
      return own
        .filter((one) => one.channel === channel)
        .map(({ workspace, id }) => ({ workspace, id }))
    },
    notes: channelNotes(channel, store),
    requests: channelRequests(channel, store),
    ...(parts.provider ? { provider: parts.provider } : {}),
    link: parts.link,
    report: parts.report,
  }
}
