import type { PersonId } from '../approval/person.ts'
import { isPlainObject } from '../base/json.ts'
import type { SwitchTarget } from '../policy/switch.ts'
import type { Records, StoredRecord } from '../store/records.ts'

/** Somebody switched asking on or off, for one tool or for a whole server. */
export interface Switch extends SwitchTarget {
  readonly on: boolean
  readonly by: PersonId
  readonly at: number
}

/** The kind of record a switch is kept as, under the name it has in a policy. */
export const SWITCH_RECORD = 'switch'

/** By name, for a policy. */
export async function readSwitches(records: Records): Promise<ReadonlyMap<string, boolean>> {
  const found = await switchRecords(records)
  return new Map(found.map(({ id, value }) => [id, isOn(value)]))
}

export async function listSwitches(records: Records): Promise<Switch[]> {
  const found = await switchRecords(records)
  return found.map(switchOf)
}

export function switchOf({ id, value, at }: StoredRecord): Switch {
  const [server = '', tool] = id.split('/')
  const by = isPlainObject(value) && isPlainObject(value.by) ? value.by : {}
  const person = { issuer: String(by.issuer ?? ''), subject: String(by.subject ?? '') }
  return { server, ...(tool === undefined ? {} : { tool }), on: isOn(value), by: person, at }
}

/** One that cannot be read is on: nobody knows that it was to be off. */
function isOn(value: unknown): boolean {
  return !(isPlainObject(value) && value.on === false)
}

async function switchRecords(records: Records): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  let after: string | undefined
  do {
    const page = await records.list(SWITCH_RECORD, after === undefined ? {} : { after })
    found.push(...page.records)
    after = page.next
  } while (after !== undefined)
  return found
}

export function sameSwitches(
  one: ReadonlyMap<string, boolean>,
  other: ReadonlyMap<string, boolean>,
): boolean {
  return one.size === other.size && [...one].every(([name, on]) => other.get(name) === on)
}
