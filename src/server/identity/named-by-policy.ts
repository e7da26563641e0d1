import { groupsOf } from '../../gate/people.ts'
import { addressesAsked } from '../../policy/load/people.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Account } from './people.ts'

/** Whether the policy names this person: by a verified address, or by a group they are in. */
export function namedBy(policy: () => Policy): (account: Account) => boolean {
  return (account) => {
    const { email = '', emailVerified } = account
    const byName = emailVerified === true && addressesAsked(policy()).has(email)
    return byName || groupsOf(policy(), account).length > 0
  }
}
