import type { Context } from 'hono'
import type { Person } from '../../approval/people/person.ts'
import type { Json } from '../../base/json/json.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { anyJson, digest, list, object, oneOf, optional, text, whole } from '../http/shape.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { approvalCard, knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'
import { DECISION, REASON, signingOf } from './decision-body.ts'
import { readWish } from './grants.ts'

// More than a person reads, and few enough that collecting them does not go unnoticed.
const MOST_LOOKS = 30

/**
 * What people do with approvals. Who they are comes from their session; whether they may is
 * decided by the rules of the approval, and by nothing here.
 */
export function decisionRoutes(services: Services): Route[] {
  const { gate, store, passkeys, publicUrl } = services
  const looks = createRateLimit({ most: MOST_LOOKS, windowMs: 60_000, what: 'looks at secrets' })

  async function card(id: string, caller: PersonCaller) {
    return approvalCard(services, await knownApproval(store, id, caller), caller.person)
  }

  /** With a passkey we are surer of who it is: for this decision, and for no other. */
  async function surely(
    c: Context,
    id: string,
    { account, person }: PersonCaller,
    { passkey, ...decision }: Parameters<typeof signingOf>[1] & { passkey?: Json },
  ): Promise<Person> {
    if (passkey === undefined) return person
    const what = await signingOf(id, decision)
    await passkeys.finishSigning(account, siteOf(c, publicUrl), what, passkey)
    return { ...person, assurance: 'passkey' }
  }

  return [
    route({
      method: 'post',
      path: '/v1/approvals/:id/decisions',
      who: PEOPLE,
      summary: "One person's answer about the call they were shown.",
      body: object({ ...DECISION, passkey: optional(anyJson) }),
      answer: 'The approval as it is now.',
      async handle({ c, caller, body }) {
        const id = c.req.param('id') ?? ''
        const { verdict, reason, answer, edit, payload, grant } = body
        const person = personOf(caller)
        await gate.approvals.decide(id, {
          by: await surely(c, id, person, body),
          verdict,
          seen: body.digest,
          ...(reason === undefined ? {} : { reason }),
          ...(answer === undefined ? {} : { answer }),
          ...(payload === undefined ? {} : { payload }),
          ...(edit === undefined ? {} : { args: edit.arguments }),
          ...(grant === undefined ? {} : { grant: readWish(grant) }),
        })
        return c.json(await card(id, person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/extend',
      who: PEOPLE,
      summary: 'More time to decide: at most twice what the policy gave.',
      body: object({ until: whole({ min: 0, max: Number.MAX_SAFE_INTEGER }) }),
      answer: 'The approval as it is now.',
      async handle({ c, caller, body }) {
        const id = c.req.param('id') ?? ''
        const person = personOf(caller)
        await gate.approvals.extend(id, { by: person.person, until: body.until })
        return c.json(await card(id, person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/lift',
      who: PEOPLE,
      summary: 'Lift a denial, so that an equal call of the same run asks again.',
      answer: 'The approval as it is now.',
      async handle({ c, caller }) {
        const id = c.req.param('id') ?? ''
        const person = personOf(caller)
        await gate.approvals.lift(id, person.person)
        return c.json(await card(id, person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/resolve',
      who: PEOPLE,
      summary: 'Record what became of a call whose outcome is unknown.',
      body: object({ outcome: oneOf('succeeded', 'failed'), reason: REASON }),
      answer: 'The approval as it is now.',
      async handle({ c, caller, body }) {
        const id = c.req.param('id') ?? ''
        const person = personOf(caller)
        const { outcome, reason } = body
        await gate.approvals.resolve(id, {
          by: person.person,
          outcome,
          ...(reason === undefined ? {} : { reason }),
        })
        return c.json(await card(id, person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/reveal',
      who: ['approver', 'admin'],
      summary: 'Look at one masked value. It is recorded who did, before it is shown.',
      body: object({
        path: list(text({ max: 1_024 }), { max: 64 }),
        digest: digest('what the person was shown'),
      }),
      answer: 'The value.',
      async handle({ c, caller, body: { path, digest: seen } }) {
        const { person } = personOf(caller)
        looks.take(JSON.stringify([person.issuer, person.subject]))
        const looked = { by: person, seen, path }
        const value = await gate.approvals.reveal(c.req.param('id') ?? '', looked)
        return c.json({ path, value })
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/withdraw',
      who: [...PEOPLE, 'agent'],
      summary: 'The asker no longer needs an answer.',
      answer: 'The approval as it is now.',
      async handle({ c, caller }) {
        const { id } = await knownApproval(store, c.req.param('id') ?? '', caller)
        if (caller.kind === 'agent') {
          const withdrawn = await gate.approvals.withdraw(id, { agent: caller.token.agent })
          return c.json(await agentApproval(store, withdrawn))
        }
        const person = personOf(caller)
        await gate.approvals.withdraw(id, { person: person.person })
        return c.json(await card(id, person))
      },
    }),
  ]
}
