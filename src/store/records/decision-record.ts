import type { PersonId } from '../../approval/people/person.ts'
import { sha256 } from '../../base/json/digest.ts'
import { allRecords, type Records } from '../records.ts'

/**
 * When a person last decided, as the time of the record itself: a list of people then reads one small
 * record for each, however long the history is. Named by the hash of its person.
 */
export const LAST_DECISION_RECORD = 'last decision'

/** Never fails: the decision is durable already, and this only says when it was. */
export async function noteDecision(records: Records, { issuer, subject }: PersonId): Promise<void> {
  const id = await sha256(JSON.stringify([issuer, subject]))
  await records.put(LAST_DECISION_RECORD, id, {}).catch(() => {})
}

/** By the hash of the person. */
export async function lastDecisions(records: Records): Promise<ReadonlyMap<string, number>> {
  const all = await allRecords(records, LAST_DECISION_RECORD)
  return new Map(all.map(({ id, at }) => [id, at]))
}
