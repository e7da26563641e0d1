import type { Approval } from '../../approval/approval.ts'
import { lockOnPerson } from '../../approval/locks/lock.ts'
import { verifiedEmail } from '../../approval/people/person.ts'
import { metOf, type Progress } from '../../approval/people/quorum-progress.ts'
import { withoutRemoved } from '../../approval/people/removed.ts'
import type { Store } from '../../store/store.ts'
import { lockCopy } from '../admin/operator-state.ts'
import { standInRecords } from '../admin/stand-ins.ts'
import type { People } from '../people.ts'
import type { Decider } from './channel.ts'

/** How far an open question with several places has come, by the rules that decide. */
export async function progressOf(store: Store, approval: Approval): Promise<Progress | undefined> {
  if (approval.status !== 'pending' || approval.decisions.length === 0) return undefined
  const copy = lockCopy(store)
  const [locks, standIns] = await Promise.all([copy.current(), standInRecords(store)])
  const met = metOf(withoutRemoved(approval, locks), { locks, now: copy.now(), standIns })
  return met.need > 1 ? met : undefined
}

/** Whose answers made it what it is, in their order. None for an end that no person decided. */
export async function decidersOf(
  store: Store,
  people: Pick<People, 'nameOf'>,
  { status, decisions, decidedAt }: Approval,
): Promise<readonly Decider[]> {
  if ((status !== 'approved' && status !== 'denied') || decidedAt === undefined) return []
  const wanted = status === 'denied' ? 'deny' : 'approve'
  const locks = (await lockCopy(store).current()).filter(({ at }) => at <= decidedAt)
  // A yes of a person who was locked or removed before the others decided did not count.
  const counted = decisions.filter(
    ({ void: isVoid, verdict, by }) =>
      isVoid !== true && verdict === wanted && !lockOnPerson(locks, by, decidedAt),
  )
  return Promise.all(
    counted.map(async ({ by, at }) => {
      const { issuer, subject } = by
      const name = await people.nameOf?.({ issuer, subject })
      return { name: name ?? verifiedEmail(by) ?? subject, at }
    }),
  )
}
