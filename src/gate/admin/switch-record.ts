import type { PersonId } from '../../approval/people/person.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { SwitchTarget } from '../../policy/load/switch.ts'
import { SWITCH_RECORD } from '../../store/records/switch-record.ts'
import { allRecords, type Records, type StoredRecord } from '../../store/records.ts'

/** An admin switched asking on or off, for one tool or for a whole server. */
export interface Switch extends SwitchTarget {
  readonly on: boolean
  readonly by: PersonId
  readonly at: number
}

/** By name, for a policy. */
export async function readSwitches(records: Records): Promise<ReadonlyMap<string, boolean>> {
  const found = await allRecords(records, SWITCH_RECORD)
  return new Map(found.map(({ id, value }) => [id, isOn(value)]))
}

export async function listSwitches(records: Records): Promise<Switch[]> {
  return (await allRecords(records, SWITCH_RECORD)).map(switchOf)
}

export function switchOf({ id, value, at }: StoredRecord): Switch {
  const [server = '', tool] = id.split('/')
  const by = isPlainObject(value) && isPlainObject(value.by) ? value.by : {}
  const person = { issuer: String(by.issuer ?? ''), subject: String(by.subject ?? '') }
  return { server, ...(tool === undefined ? {} : { tool }), on: isOn(value), by: person, at }
}

/** An unreadable one is on, because it is unknown whether it was to be off. */
function isOn(value: unknown): boolean {
  return !(isPlainObject(value) && value.on === false)
}

export function sameSwitches(
  one: ReadonlyMap<string, boolean>,
  other: ReadonlyMap<string, boolean>,
): boolean {
  return one.size === other.size && [...one].every(([name, on]) => other.get(name) === on)
}
