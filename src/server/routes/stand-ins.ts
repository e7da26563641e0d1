import { samePerson } from '../../approval/people/identity.ts'
import type { Person } from '../../approval/people/person.ts'
import type { NamedLogin, StandIn } from '../../approval/people/stand-in.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import type { StandInList, WireStandIn } from '../../wire/stand-ins.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { object, optional, text, whole } from '../http/shape.ts'
import { type Account, type Accounts, accountKey, wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'
import { given } from '../view/row.ts'

const WHO = text({ min: 1, max: 254, description: 'an address, or the id of /v1/people' })
const TIME = whole({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** Who answers for whom while they are away. Whether they may is decided by the gate. */
export function standInRoutes({ gate, store, credentials }: Services): Route[] {
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
    route({
      method: 'get',
      path: '/v1/people/stand-ins',
      who: PEOPLE,
      summary: 'Who answers for whom, now and later.',
      answer: 'A list of stand-ins.',
      async handle({ c, caller }) {
        const { person } = personOf(caller)
        const found = await gate.admin.standIns.list()
        const standIns = await Promise.all(found.map((one) => shown(one, person)))
        const isAdmin = person.roles.includes('admin')
        const can: StandInList['can'] = isAdmin ? ['set', 'set_for_others'] : ['set']
        return c.json({ standIns, now: await store.now(), can } satisfies StandInList)
      },
    }),
    route({
      method: 'post',
      path: '/v1/people/stand-ins',
      who: PEOPLE,
      summary:
        'Let another person answer for you while you are away; admins do it for others as well.',
      body: object({
        standIn: WHO,
        absent: optional(WHO),
        from: optional(TIME),
        until: TIME,
        reason: optional(text({ max: 1_000 })),
      }),
      answer: 'The stand-in.',
      async handle({ c, caller, body }) {
        const { person, account } = personOf(caller)
        const { from, until, reason } = body
        const absent = body.absent === undefined ? account : await named(accounts, body.absent)
        const set = await gate.admin.standIns.set(person, {
          absent: loginOf(absent),
          standIn: loginOf(await named(accounts, body.standIn)),
          until,
          ...given({ from, reason }),
        })
        return c.json(await shown(set, person), 201)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/people/stand-ins/:standIn',
      who: PEOPLE,
      summary: 'End a stand-in now: by either of the two, or an admin. What was said stays said.',
      answer: 'The stand-in that has ended.',
      async handle({ c, caller }) {
        const { person } = personOf(caller)
        const ended = await gate.admin.standIns.end(person, c.req.param('standIn') ?? '')
        return c.json(await shown(ended, person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/people/stand-ins/:standIn/take-back',
      who: ['admin'],
      summary: 'End a stand-in as if it had never been: yeses given under it stop counting.',
      answer: 'The stand-in that was taken back.',
      async handle({ c, caller }) {
        const { person } = personOf(caller)
        const taken = await gate.admin.standIns.takeBack(person, c.req.param('standIn') ?? '')
        return c.json(await shown(taken, person))
      },
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
