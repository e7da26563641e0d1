import { type Lock, lockOnPerson } from '../../approval/locks/lock.ts'
import type { Named } from '../../approval/people/person.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import { allLinks, withoutLink } from '../../store/records/link-record.ts'
import type { Store } from '../../store/store.ts'

/**
 * The accounts of chats that stop answering for whom this lock holds: they have to be linked again
 * once it is lifted. Without the person's record the link is worth nothing, so it goes as well.
 */
export async function endedLinks(
  { records }: Pick<Store, 'records'>,
  lock: Lock,
): Promise<readonly RecordChange[]> {
  const links = await allLinks(records)
  const ended = await Promise.all(
    links.map(async ({ id, person }) => {
      const found = await records.get(PERSON_RECORD, person)
      const account = found?.value as unknown as Named | undefined
      const isEnded = !account || lockOnPerson([lock], { ...account, groups: [] }, lock.at)
      return isEnded ? withoutLink(id) : []
    }),
  )
  return ended.flat()
}
