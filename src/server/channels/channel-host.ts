import type { Person } from '../../approval/people/person.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import type { SignInProvider } from '../../gate/notify/sign-in-provider.ts'
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
}

/**
 * What one channel may do. Who answers is looked up by what the channel proved, in this channel and
 * no other; what they may is decided by the gate.
 */
export function channelHost(channel: string, parts: HostParts): ChannelHost {
  const { store, accounts, links } = parts
  const guesses = createRateLimit({ most: 10, windowMs: 60_000, what: 'codes from this account' })

  const { able, card, decide } = answering(parts)

  async function personBehind(from: ChatAccount): Promise<Person> {
    const link = await links.find(channel, from)
    const account = link && (await accounts.get(link.person))
    return able(account, 'chat')
  }

  return {
    card: async (from, id) => card(await personBehind(from), id),
    decide: (from, answer) => decide(`channel ${channel}`, answer, () => personBehind(from)),
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
