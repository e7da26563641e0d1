import type { Approval } from '../../approval/approval.ts'
import { lockedBecause, lockOnPerson } from '../../approval/locks/lock.ts'
import type { Assurance, Person } from '../../approval/people/person.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import type { Gate } from '../../gate/gate.ts'
import type { ChatAnswer, ChatCard } from '../../gate/notify/channel-host.ts'
import type { Store } from '../../store/store.ts'
import type { RefusedAttempts } from '../evidence/refused-attempts.ts'
import { aboutApproval, GATE } from '../http/attempt.ts'
import type { Account, Accounts } from '../identity/people.ts'
import { lockedNow } from '../read-approvals.ts'
import { mine } from '../view/permissions.ts'

export interface AnsweringParts {
  readonly store: Store
  readonly gate: Gate
  readonly accounts: Accounts
  readonly attempts: Pick<RefusedAttempts, 'note'>
}

/** What every channel asks before it shows a call or takes an answer. */
export function answering({ store, gate, accounts, attempts }: AnsweringParts) {
  /** As the person is now. Throws for an account that is gone, locked or without a role. */
  async function able(account: Account | undefined, assurance: Assurance): Promise<Person> {
    if (!account || account.locked || account.roles.length === 0) throw notLinked()
    const person = accounts.person(account, assurance)
    const copy = lockCopy(store)
    const lock = lockOnPerson(await copy.current(), person, copy.now())
    if (lock) throw new CountersignError('locked', lockedBecause(lock))
    return person
  }

  async function card(person: Person, id: string): Promise<ChatCard> {
    const shown = await gate.approvals.get(id)
    if (!shown) throw new CountersignError('approval_not_found', 'there is no such approval')
    const reader = await gate.admin.standIns.withAbsent(person)
    const locked = await lockedNow({ store, credentials: { accounts } })
    const own = mine(shown.approval, reader, locked)
    return own.may ? shown : { ...shown, refusal: own.why }
  }

  /** Decides as this person. An answer that is refused is on record with where it was given. */
  async function decide(
    at: string,
    { approval, verdict, seen, reason }: ChatAnswer,
    person: () => Promise<Person>,
  ): Promise<Approval> {
    let by: Person | undefined
    try {
      by = await person()
      const words = reason === undefined ? {} : { reason }
      return await gate.approvals.decide(approval, { by, verdict, seen, ...words })
    } catch (error) {
      if (isCountersignError(error)) {
        const { issuer, subject } = by ?? {}
        const who = issuer && subject ? { person: { issuer, subject } } : GATE
        attempts.note({ code: error.code, by: who, at, ...aboutApproval(error, approval) })
      }
      throw error
    }
  }

  return { able, card, decide }
}

function notLinked(): CountersignError {
  return new CountersignError('not_linked', 'this account answers for no person here', {
    hint: 'Sign in to the inbox and link it there, under your name.',
  })
}
