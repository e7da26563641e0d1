import type { StandInList, WireStandIn } from '../../api/stand-ins.ts'
import { type Person, personId, samePerson } from '../../approval/people/person.ts'
import type { NamedLogin, StandIn } from '../../approval/people/stand-in.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { type Account, type Accounts, accountKey, wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** Who answers for whom while they are away. Whether they may is decided by the gate. */
export function standInRoutes({ gate, store, credentials, membership }: Services): Route[] {
  const { accounts } = credentials

  async function shown(one: StandIn, reader: Person): Promise<WireStandIn> {
    const { id, from, until, at, reason } = one
    const [absent, standIn, by] = await Promise.all(
      [one.absent, one.standIn, one.by].map(async (who) =>
        wirePerson(who, await accounts.get(who)),
      ),
    )
    return {
      id,
      absent: absent ?? one.absent,
      standIn: standIn ?? one.standIn,
      from,
      until,
      by: by ?? one.by,
      at,
      ...given({ reason }),
      can: mayDo(one, reader),
    }
  }

  return [
    route('GET /v1/people/stand-ins', async ({ caller, reply }) => {
      const { person } = personOf(caller)
      const found = await gate.admin.standIns.list()
      const standIns = await Promise.all(found.map((one) => shown(one, person)))
      const isAdmin = person.roles.includes('admin')
      const can: StandInList['can'] = isAdmin ? ['set', 'set_for_others'] : ['set']
      return reply(200, { standIns, now: await store.now(), can } satisfies StandInList)
    }),
    route('POST /v1/people/stand-ins', async ({ caller, body, reply }) => {
      const { person, account } = personOf(caller)
      const { from, until, reason } = body
      const absent = body.absent === undefined ? account : await named(accounts, body.absent)
      const standIn = await named(accounts, body.standIn)
      // It may be their own account: places of others are not theirs to take.
      if (!samePerson(absent, account)) {
        await membership.assertNotInviter({ person: personId(account) }, standIn)
      }
      const set = await gate.admin.standIns.set(person, {
        absent: loginOf(absent),
        standIn: loginOf(standIn),
        until,
        ...given({ from, reason }),
      })
      return reply(201, await shown(set, person))
    }),
    route('DELETE /v1/people/stand-ins/:standIn', async ({ caller, params, reply }) => {
      const { person } = personOf(caller)
      const ended = await gate.admin.standIns.end(person, params.standIn)
      return reply(200, await shown(ended, person))
    }),
    route('POST /v1/people/stand-ins/:standIn/take-back', async ({ caller, params, reply }) => {
      const { person } = personOf(caller)
      const taken = await gate.admin.standIns.takeBack(person, params.standIn)
      return reply(200, await shown(taken, person))
    }),
  ]
}

function mayDo({ absent, standIn }: StandIn, { roles, ...reader }: Person): WireStandIn['can'] {
  if (roles.includes('admin')) return ['end', 'take_back']
  return samePerson(reader, absent) || samePerson(reader, standIn) ? ['end'] : []
}

/** Only an address that is vouched for names a person. */
async function named(accounts: Accounts, who: string): Promise<Account> {
  const word = foldAddress(who)
  const found = (await accounts.list()).filter(
    (one) =>
      accountKey(one) === who ||
      (one.emailVerified === true && foldAddress(one.email ?? '') === word),
  )
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length === 0) {
    throw new CountersignError('not_found', `no person here has the address ${who}`, {
      hint: 'An admin adds people; `countersign people list` lists them.',
    })
  }
  throw new CountersignError('invalid_value', `several logins have the address ${who}`, {
    hint: 'An admin names one of them by its id; `countersign people --json` shows them.',
  })
}

function loginOf({ issuer, subject, email, emailVerified }: Account): NamedLogin {
  return { issuer, subject, ...(email === undefined || !emailVerified ? {} : { email }) }
}
