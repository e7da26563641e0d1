import type { WirePerson } from '../../../../../src/api/common.ts'
import { forNames } from '../../../components/person.tsx'
import { rich } from '../../../lib/language/rich.ts'

/** For whom a stand-in decides. */
export function Away({ people }: { people: readonly WirePerson[] }) {
  const names = <b>{forNames(people).trim()}</b>
  return people.length === 1
    ? rich('You decide {forNames}, who is away.', { forNames: names })
    : rich('You decide {forNames}, who are away.', { forNames: names })
}
