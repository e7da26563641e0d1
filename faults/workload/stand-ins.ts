import type { Person } from '../../src/approval/people/person.ts'
import type { Membership } from '../../src/server/identity/membership.ts'
import {
  type Account,
  type Accounts,
  accountKey,
  addAccount,
} from '../../src/server/identity/people.ts'
import type { Store } from '../../src/store/store.ts'
import { randomOf } from '../seeds.ts'
import type { Ambush } from './ambush.ts'
import { keeper } from './locks.ts'
import { MEMBERS, MINUTE, type Name, person } from './operations.ts'
import { carryOut, patiently, pause } from './retries.ts'
import type { Stage } from './workload.ts'

const ROUNDS = 5
const HOLD_MS = 25
const AWAY = ['dee', 'eve', 'fay'] as const
/** Strangers to every group, and one who has a place of their own already. */
const DEPUTIES = ['gus', 'hal', 'gus', 'eve'] as const
/** Few enough that enough of every group are left. */
const REMOVED = ['ana', 'dee', 'gus'] as const

export interface Belonging {
  readonly accounts: Accounts
  readonly membership: Membership
}

function accountOf(name: string): Account {
  const { issuer, subject, email, emailVerified, roles } = person(name)
  return {
    issuer,
    subject,
    roles,
    ...(email ? { email } : {}),
    ...(emailVerified ? { emailVerified } : {}),
  }
}

/** Everybody has an account before anything begins, except whoever a dead process had removed. */
export async function everybodyBelongs(
  { records }: Store,
  { accounts, membership }: Belonging,
): Promise<void> {
  for (const name of Object.keys(MEMBERS)) {
    const account = accountOf(name)
    if (await accounts.get(account)) continue
    if (!(await membership.isRemoved(account))) await addAccount(records, account)
  }
}

/** One who stands in for another for a minute, unless somebody does already. */
export async function standInOnce(stage: Stage, absent: Name, deputy: Name): Promise<void> {
  const {
    admin: { standIns },
  } = stage.gate
  const all = await patiently(() => standIns.list())
  if (all.some((one) => one.absent.subject === absent && one.standIn.subject === deputy)) return
  await goAway(stage, { absent, deputy, lasts: MINUTE })
}

interface Absence {
  readonly absent: Name
  readonly deputy: Name
  readonly lasts: number
}

async function goAway(stage: Stage, { absent, deputy, lasts }: Absence): Promise<void> {
  const named = ({ issuer, subject, email }: Person) => ({
    issuer,
    subject,
    ...(email ? { email } : {}),
  })
  await carryOut(stage, {
    name: 'away',
    about: { kind: 'away', by: deputy, subject: absent },
    async run() {
      const until = (await stage.store.now()) + lasts
      const wish = { absent: named(person(absent)), standIn: named(person(deputy)), until }
      const { id } = await stage.gate.admin.standIns.set(keeper, wish)
      return { standIn: id }
    },
  })
}

async function comeBack(stage: Stage, standIn: string, takesBack: boolean): Promise<void> {
  const {
    admin: { standIns },
  } = stage.gate
  await carryOut(stage, {
    name: 'back',
    about: { kind: 'back', standIn, takesBack },
    async run() {
      await (takesBack ? standIns.takeBack(keeper, standIn) : standIns.end(keeper, standIn))
      return { standIn }
    },
  })
}

const byKeeper = { person: { issuer: keeper.issuer, subject: keeper.subject } }

async function removePerson(stage: Stage, subject: string): Promise<void> {
  await carryOut(stage, {
    name: 'remove',
    about: { kind: 'remove', subject },
    async run() {
      await stage.membership.remove(byKeeper, accountKey(accountOf(subject)))
      return {}
    },
  })
}

async function readmit(stage: Stage, subject: string): Promise<void> {
  await carryOut(stage, {
    name: 'readmit',
    about: { kind: 'readmit', subject },
    async run() {
      await stage.membership.set(byKeeper, accountOf(subject))
      return {}
    },
  })
}

/**
 * People go away, others stand in for them and stop, some of it as if it had never been; and people
 * are removed and added again. Half of it happens in the last moment before an answer in somebody's
 * place, or before a claim. Resolves when everybody is back.
 */
export async function keepAbsences(
  stage: Stage,
  ambush: Ambush,
  { cycle, isBusy }: { readonly cycle: number; readonly isBusy: boolean },
): Promise<void> {
  const random = randomOf(stage.seed, cycle, 'absences')
  await everybodyBack(stage)

  async function moment(): Promise<boolean> {
    const soon = random.below(HOLD_MS)
    if (random.chance(0.6)) return (await ambush.wait(4 * HOLD_MS)) !== undefined
    await pause(soon)
    return false
  }

  for (let round = 0; isBusy && round < ROUNDS; round += 1) {
    const absent = random.pick(AWAY)
    const deputy = random.pick(DEPUTIES)
    const lasts = random.chance(0.3) ? 20 + random.below(60) : MINUTE
    const kind = random.pick(['end', 'take back', 'remove', 'none'] as const)
    const whom = random.pick(REMOVED)
    const nth = random.below(100)
    if (absent !== deputy) await goAway(stage, { absent, deputy, lasts })
    const isAmbushed = await moment()
    const all = await patiently(() => stage.gate.admin.standIns.list())
    const one = all[nth % Math.max(1, all.length)]
    if (kind === 'remove') await removePerson(stage, whom)
    else if (one && (kind !== 'none' || isAmbushed)) {
      await comeBack(stage, one.id, kind === 'take back')
    }
    ambush.letGo()
    await pause(random.below(HOLD_MS))
    if (kind === 'remove') await readmit(stage, whom)
  }
  await everybodyBack(stage)
}

/** Whoever an earlier life removed is added again, and whoever is away is back. */
async function everybodyBack(stage: Stage): Promise<void> {
  for (const name of REMOVED) {
    const isGone = await patiently(() => stage.membership.isRemoved(accountOf(name)))
    if (isGone) await readmit(stage, name)
  }
  const left = await patiently(() => stage.gate.admin.standIns.list())
  for (const { id } of left) await comeBack(stage, id, false)
}
