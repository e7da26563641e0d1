import { lockedBecause, lockOnPerson } from '../../approval/locks/lock.ts'
import type { Assurance, Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import type { Gate } from '../../gate/gate.ts'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import type { Store } from '../../store/store.ts'
import type { Account, Accounts } from '../identity/people.ts'
import { lockedNow } from '../read-approvals.ts'
import { mine } from '../view/permissions.ts'

export interface AnsweringParts {
  readonly store: Store
  readonly gate: Gate
  readonly accounts: Accounts
}

/** What every channel asks before it shows a call or takes an answer. */
export function answering({ store, gate, accounts }: AnsweringParts) {
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

  return { able, card }
}

function notLinked(): CountersignError {
  return new CountersignError('not_linked', 'this account answers for no person here', {
    hint: 'Sign in to the inbox and link it there, under your name.',
  })
}
