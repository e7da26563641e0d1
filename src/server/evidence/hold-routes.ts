import type { HoldList, WireHold, WireHoldTarget } from '../../api/evidence/holds.ts'
import { type Hold, type HoldTarget, holdWords } from '../../approval/holds/hold.ts'
import { given } from '../../base/json/json.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { type Accounts, wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** Legal holds: what must not be erased. */
export function holdRoutes({ gate, store, credentials }: Services): Route[] {
  const { accounts } = credentials
  const { holds } = gate.admin
  return [
    route('GET /v1/holds', async ({ reply }) => {
      const all = await Promise.all((await holds.list()).map((one) => wireHold(one, accounts)))
      return reply(200, { holds: all, now: await store.now() } satisfies HoldList)
    }),
    route('POST /v1/holds', async ({ caller, body, reply }) => {
      const target = await completed(body.target, accounts)
      const placed = await holds.place(personOf(caller).person, { ...body, target })
      return reply(201, await wireHold(placed, accounts))
    }),
    route('POST /v1/holds/:hold/release', async ({ caller, params, body, reply }) => {
      const { person } = personOf(caller)
      const released = await holds.release(person, params.hold, body.reason)
      return reply(200, await wireHold(released, accounts))
    }),
  ]
}

/** With the address of the person: another login under it is the same human being. */
async function completed({ person, ...rest }: WireHoldTarget, accounts: Accounts) {
  if (!person) return rest as HoldTarget
  const { issuer, subject } = person
  const account = issuer === undefined ? undefined : await accounts.get({ issuer, subject })
  return { ...rest, person: { ...person, ...given({ email: account?.email }) } } as HoldTarget
}

async function wireHold(hold: Hold, accounts: Accounts): Promise<WireHold> {
  const { id, target, by, reason, at } = hold
  const { person, ...rest } = target
  const named = person && { subject: person.subject, ...given({ issuer: person.issuer }) }
  return {
    id,
    target: { ...rest, ...given({ person: named }) },
    words: holdWords(target),
    by: wirePerson(by, await accounts.get(by)),
    reason,
    at,
  }
}
