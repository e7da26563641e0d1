import type { PasskeyList, PasskeyOptions } from '../../api/passkeys.ts'
import { CountersignError } from '../../base/errors.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { assertFresh } from '../identity/fresh-session.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { signingOf } from './decision-body.ts'

/** Keys of one's own. Each signs single decisions, where the policy wants that. */
export function passkeyRoutes({ passkeys, publicUrl, store }: Services): Route[] {
  return [
    route('GET /v1/passkeys', async ({ caller, reply }) => {
      const answer: PasskeyList = { passkeys: await passkeys.list(personOf(caller).account) }
      return reply(200, answer)
    }),
    route('POST /v1/passkey-options', async ({ c, caller, reply }) => {
      const person = personOf(caller)
      await assertFresh(store, person, 'a passkey is added')
      const options = await passkeys.beginAdding(person.account, siteOf(c, publicUrl))
      return reply(200, { options } satisfies PasskeyOptions)
    }),
    route('POST /v1/passkeys', async ({ c, caller, body, reply }) => {
      const person = personOf(caller)
      await assertFresh(store, person, 'a passkey is added')
      const site = siteOf(c, publicUrl)
      return reply(201, await passkeys.finishAdding(person.account, site, body))
    }),
    route('DELETE /v1/passkeys/:passkey', async ({ caller, params, reply }) => {
      const { account } = personOf(caller)
      if (await passkeys.remove(account, params.passkey)) return reply(204)
      throw new CountersignError('not_found', 'you have no such passkey')
    }),
    route('POST /v1/approvals/:id/passkey', async ({ c, caller, params, body, reply }) => {
      const person = personOf(caller)
      const { id } = await knownApproval(store, params.id, person)
      const what = await signingOf(id, body)
      const options = await passkeys.beginSigning(person.account, siteOf(c, publicUrl), what)
      return reply(200, { options } satisfies PasskeyOptions)
    }),
  ]
}
