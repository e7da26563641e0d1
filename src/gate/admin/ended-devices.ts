import { type Lock, lockOnPerson } from '../../approval/locks/lock.ts'
import type { Named } from '../../approval/people/person.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import { allDevices, withoutDevices } from '../../store/records/device-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'

/**
 * The devices of whom this lock holds: it is not known in whose hands they are. They are turned on
 * again once the lock is lifted.
 */
export async function endedDevices(
  { records }: Pick<Store, 'records'>,
  lock: Lock,
): Promise<readonly RecordChange[]> {
  const devices = await allDevices(records)
  if (devices.length === 0) return []
  const accounts = (await allRecords(records, PERSON_RECORD)).map(
    ({ value }) => value as unknown as Named,
  )
  const locked = accounts.filter((one) => lockOnPerson([lock], { ...one, groups: [] }, lock.at))
  return withoutDevices(
    devices.filter(({ person: { issuer, subject } }) =>
      locked.some((one) => one.issuer === issuer && one.subject === subject),
    ),
  )
}
