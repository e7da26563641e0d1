import { type Hold, type HoldTarget, holdTarget, readHold } from '../../approval/holds/hold.ts'
import type { Person } from '../../approval/people/person.ts'
import { Mismatch } from '../../approval/shape.ts'
import { factsOf } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Json } from '../../base/json/json.ts'
import { HOLD_RECORD, HOLDS_PLACED } from '../../store/records/hold-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { assertMay } from './locks.ts'
import type { LockCopy } from './operator-state.ts'

export interface NewHold {
  readonly target: HoldTarget
  /** For the record: the matter it belongs to. */
  readonly reason: string
}

/** What admins do with legal holds. Refusals are thrown as `CountersignError`. */
export interface Holds {
  /** Those in force, oldest first. */
  list(): Promise<readonly Hold[]>
  /** When it resolves, nothing that it names is erased any more, in any process. */
  place(by: Person, hold: NewHold): Promise<Hold>
  /** Throws `not_found` when it is no longer there. */
  release(by: Person, id: string, reason: string): Promise<Hold>
}

export function createHolds(store: Store, copy: LockCopy): Holds {
  const list = () => readHolds(store)
  return {
    list,
    async place(by, { target, reason }) {
      await assertMay(copy, by, ['admin'], 'placing a hold')
      const hold: Hold = {
        id: newId(),
        target: checkedTarget(target),
        by: { issuer: by.issuer, subject: by.subject },
        reason: checkedReason(reason),
        at: await store.now(),
      }
      await store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'hold.placed',
          by: { person: hold.by },
          assurance: by.assurance,
          facts: targetFacts(hold),
        },
        changes: [
          { kind: HOLD_RECORD, id: hold.id, value: hold as unknown as Json, expect: 'absent' },
          { ...HOLDS_PLACED, value: { hold: hold.id } },
        ],
        content: [{ key: `${hold.id}/1/reason`, kind: 'reason', value: hold.reason }],
      })
      return hold
    },
    async release(by, id, reason) {
      await assertMay(copy, by, ['admin'], 'releasing a hold')
      const why = checkedReason(reason)
      const hold = (await list()).find((one) => one.id === id)
      const isReleased =
        hold !== undefined &&
        (await store.amend({
          commandId: crypto.randomUUID(),
          event: {
            type: 'hold.released',
            by: { person: { issuer: by.issuer, subject: by.subject } },
            assurance: by.assurance,
            facts: targetFacts(hold),
          },
          changes: [{ kind: HOLD_RECORD, id, expect: 'present' }],
          content: [{ key: `${id}/2/reason`, kind: 'reason', value: why }],
        }))
      if (hold && isReleased) return hold
      throw new CountersignError('not_found', `there is no hold ${id}`, {
        hint: 'It was released already; `countersign audit hold list` shows those in force.',
      })
    },
  }
}

export async function readHolds({ records }: Pick<Store, 'records'>): Promise<readonly Hold[]> {
  const found = await allRecords(records, HOLD_RECORD)
  return found.map(({ value }) => readHold(value)).sort((one, two) => one.at - two.at)
}

const MAX_REASON = 1_000

function checkedReason(reason: string): string {
  if (reason.trim() === '') {
    throw new CountersignError('reason_required', 'a hold needs a reason', {
      hint: 'Name the matter, for the auditor who reads it later.',
    })
  }
  if (reason.length <= MAX_REASON) return reason.trim()
  throw new CountersignError('too_large', `a reason has at most ${MAX_REASON} characters`)
}

function checkedTarget(target: HoldTarget): HoldTarget {
  try {
    const read = holdTarget(target)
    if ((read.since ?? 0) <= (read.until ?? Number.POSITIVE_INFINITY)) return read
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    throw new CountersignError('invalid_value', `the target of a hold: ${error.sentence}`)
  }
  throw new CountersignError('invalid_value', 'a hold ends after it begins')
}

/** Ids for the audit. An address stays out of it: what the audit holds can never be erased. */
function targetFacts({ id, target }: Hold) {
  const { person, ...rest } = target
  return factsOf({ hold: id, ...rest, issuer: person?.issuer, person: person?.subject })
}
