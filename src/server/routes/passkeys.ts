import { CountersignError } from '../../base/errors.ts'
import type { PasskeyList, PasskeyOptions } from '../../wire/passkeys.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { anyJson, object, text } from '../http/shape.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { DECISION, signingOf } from './decision-body.ts'

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
    route({
      method: 'get',
      path: '/v1/passkeys',
      who: PEOPLE,
      summary: 'The passkeys of the caller.',
      answer: 'Names and times.',
      async handle({ c, caller }) {
        const answer: PasskeyList = { passkeys: await passkeys.list(personOf(caller).account) }
        return c.json(answer)
      },
    }),
    route({
      method: 'post',
      path: '/v1/passkey-options',
      who: PEOPLE,
      summary: 'Begin to add a passkey, within 15 minutes of signing in.',
      answer: 'What the browser needs to make one.',
      async handle({ c, caller }) {
        const person = personOf(caller)
        await assertFresh(person)
        const options = await passkeys.beginAdding(person.account, siteOf(c, publicUrl))
        return c.json({ options } satisfies PasskeyOptions)
      },
    }),
    route({
      method: 'post',
      path: '/v1/passkeys',
      who: PEOPLE,
      summary: 'Add the passkey that the browser made.',
      body: object({ name: text({ min: 1, max: 100 }), response: anyJson }),
      answer: 'The passkey.',
      async handle({ c, caller, body }) {
        const person = personOf(caller)
        await assertFresh(person)
        const site = siteOf(c, publicUrl)
        return c.json(await passkeys.finishAdding(person.account, site, body), 201)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/passkeys/:passkey',
      who: PEOPLE,
      summary: 'Remove a passkey of one’s own.',
      answer: 'Nothing.',
      async handle({ c, caller }) {
        const { account } = personOf(caller)
        if (await passkeys.remove(account, c.req.param('passkey') ?? '')) return c.body(null, 204)
        throw new CountersignError('not_found', 'you have no such passkey')
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/passkey',
      who: PEOPLE,
      summary: 'Begin to approve with a passkey. What it signs fits this decision only.',
      body: object(DECISION),
      answer: 'What the browser needs to sign; its answer goes into the decision as `passkey`.',
      async handle({ c, caller, body }) {
        const person = personOf(caller)
        const { id } = await knownApproval(store, c.req.param('id') ?? '', person)
        const what = await signingOf(id, body)
        const options = await passkeys.beginSigning(person.account, siteOf(c, publicUrl), what)
        return c.json({ options } satisfies PasskeyOptions)
      },
    }),
  ]
}
