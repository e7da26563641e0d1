import { CountersignError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import { type KeptPolicy, readKept } from './kept-policy.ts'

const MOST_READS = 5

/**
 * What is in force, compared with the newest event that put a policy into force. The rows of a
 * policy can be changed together so that they fit each other; the event is part of the signed record.
 */
export async function recordedPolicy(
  store: Pick<Store, 'records' | 'newestPolicyEvent'>,
): Promise<KeptPolicy | undefined> {
  for (let reads = 1; ; reads += 1) {
    const event = await store.newestPolicyEvent()
    const kept = await readKept(store.records)
    const facts = event && 'facts' in event.event ? event.event.facts : undefined
    if (event === undefined && kept === undefined) return undefined
    const isRecorded =
      kept !== undefined &&
      kept.name === facts?.policy &&
      Array.isArray(facts.texts) &&
      JSON.stringify(facts.texts) === JSON.stringify(kept.texts)
    if (isRecorded) return kept
    // Another server may have put one into force between the two reads.
    const isSame = (await store.newestPolicyEvent())?.hash === event?.hash
    if (isSame || reads >= MOST_READS)
      throw facts && !facts.texts ? recordedBefore() : notRecorded()
  }
}

/** Events of earlier versions name the policy and not its texts: nothing to compare them with. */
function recordedBefore(): CountersignError {
  return new CountersignError(
    'store_damaged',
    'the policy in the database was put into force by an earlier version, which did not record its texts',
    {
      hint: 'Check the policy files, then `countersign start --apply-policy` puts them into force.',
    },
  )
}

function notRecorded(): CountersignError {
  return new CountersignError(
    'store_damaged',
    'the policy in the database is not the one that was recorded as put into force',
    {
      hint: 'It was changed outside of Countersign. Run `countersign audit verify`, check the policy files, then `countersign start --apply-policy` puts them into force.',
    },
  )
}
