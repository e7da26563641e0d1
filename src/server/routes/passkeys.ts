import type { PasskeyList, PasskeyOptions } from '../../api/passkeys.ts'
import { CountersignError } from '../../base/errors.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { signingOf } from './decision-body.ts'

// Who finds a browser open must not be able to leave a key of their own in it.
const FRESH_MS = 15 * 60_000

/** Keys of one's own. Each signs single decisions, where the policy wants that. */
export function passkeyRoutes({ passkeys, publicUrl, store }: Services): Route[] {
  async function assertFresh({ session }: PersonCaller): Promise<void> {
    if ((await store.now()) - session.startedAt <= FRESH_MS) return
    throw new CountersignError('signin_too_old', 'you signed in too long ago for this', {
      hint: 'Sign out and in again; a passkey is added within 15 minutes of that.',
    })
  }

  return [
    route('GET /v1/passkeys', async ({ caller, reply }) => {
      const answer: PasskeyList = { passkeys: await passkeys.list(personOf(caller).account) }
      return reply(200, answer)
    }),
    route('POST /v1/passkey-options', async ({ c, caller, reply }) => {
      const person = personOf(caller)
      await assertFresh(person)
      const options = await passkeys.beginAdding(person.account, siteOf(c, publicUrl))
      return reply(200, { options } satisfies PasskeyOptions)
    }),
    route('POST /v1/passkeys', async ({ c, caller, body, reply }) => {
      const person = personOf(caller)
      await assertFresh(person)
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
