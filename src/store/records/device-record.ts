import { type PersonId, samePerson } from '../../approval/people/person.ts'
import { NOTICE_KINDS } from '../../approval/transition.ts'
import { allRecords, type Records, type StoredRecord } from '../records.ts'

/** A browser that takes push messages for one person. Named by the hash of its endpoint. */
export interface Device {
  readonly person: PersonId
  /** The session it was last used in; signing out of that ends it. */
  readonly session: string
  /** Where its push service takes messages for it. Holds a secret of the browser. */
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  /** The public key of the server that it trusts. */
  readonly key: string
  /** Hash of the secret with which its service worker names a new endpoint. */
  readonly renewal: string
  /** As its person calls it. */
  readonly name: string
  /** Time zone of the browser, for deadlines. */
  readonly zone?: string
  readonly at: number
}

export interface StoredDevice extends Device {
  readonly id: string
  readonly revision: number
  /** When the person last had the inbox open on it. */
  readonly seenAt: number
  /** It is forgotten then, unless the person opens the inbox on it before. */
  readonly until: number
}

/** The channel that sends to devices, as the outbox knows it. */
export const PUSH_CHANNEL = 'push'
/** What it tells of: one more message per vote would be too many. */
export const PUSH_KINDS = NOTICE_KINDS.filter((kind) => kind !== 'voted')
/** The kind of record it is kept as. An endpoint has one record, and so one person. */
export const DEVICE_RECORD = 'push-device'

export async function findDevice(records: Records, id: string): Promise<StoredDevice | undefined> {
  const found = await records.get(DEVICE_RECORD, id)
  return found && storedDevice(found)
}

export async function allDevices(records: Records): Promise<readonly StoredDevice[]> {
  return (await allRecords(records, DEVICE_RECORD)).map(storedDevice)
}

export async function devicesOf(
  records: Records,
  people: readonly PersonId[],
): Promise<readonly StoredDevice[]> {
  const all = await allDevices(records)
  return all.filter((one) => people.some((person) => samePerson(person, one.person)))
}

/** They end with the change that these are part of. */
export function withoutDevices(devices: readonly StoredDevice[]) {
  return devices.map(({ id }) => ({ kind: DEVICE_RECORD, id }))
}

function storedDevice({ id, value, revision, at, expiresAt = 0 }: StoredRecord): StoredDevice {
  return { ...(value as unknown as Device), id, revision, seenAt: at, until: expiresAt }
}
