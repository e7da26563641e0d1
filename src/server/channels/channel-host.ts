import { lockedBecause, lockOnPerson } from '../../approval/locks/lock.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import type { Gate } from '../../gate/gate.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import type { Store } from '../../store/store.ts'
import type { RefusedAttempts } from '../evidence/refused-attempts.ts'
import { aboutApproval, GATE } from '../http/attempt.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { Accounts } from '../identity/people.ts'
import { lockedNow } from '../read-approvals.ts'
import { mine } from '../view/permissions.ts'
import { channelNotes } from './channel-notes.ts'
import type { Links } from './links.ts'

export interface HostParts {
  readonly store: Store
  readonly gate: Gate
  readonly accounts: Accounts
  readonly links: Links
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

  async function personBehind(from: ChatAccount): Promise<Person> {
    const link = await links.find(channel, from)
    const account = link && (await accounts.get(link.person))
    if (!account || account.locked || account.roles.length === 0) throw notLinked()
    const person = accounts.person(account, 'chat')
    const copy = lockCopy(store)
    const lock = lockOnPerson(await copy.current(), person, copy.now())
    if (lock) throw new CountersignError('locked', lockedBecause(lock))
    return person
  }

  return {
    async card(from, id) {
      const person = await personBehind(from)
      const shown = await gate.approvals.get(id)
      if (!shown) throw new CountersignError('approval_not_found', 'there is no such approval')
      const reader = await gate.admin.standIns.withAbsent(person)
      const locked = await lockedNow({ store, credentials: { accounts } })
      const own = mine(shown.approval, reader, locked)
      return own.may ? shown : { ...shown, refusal: own.why }
    },
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
    link: parts.link,
    report: parts.report,
  }
}

function notLinked(): CountersignError {
  return new CountersignError('not_linked', 'this account answers for no person here', {
    hint: 'Sign in to the inbox and link it there, under your name.',
  })
}
