import type { Context } from 'hono'
import type { DecisionBody } from '../../api/approval.ts'
import type { Infer } from '../../api/schema.ts'
import type { Person } from '../../approval/people/person.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { approvalCard, knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'
import { signingOf } from './decision-body.ts'
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
    { passkey, ...decision }: Infer<typeof DecisionBody>,
  ): Promise<Person> {
    if (passkey === undefined) return person
    const what = await signingOf(id, decision)
    await passkeys.finishSigning(account, siteOf(c, publicUrl), what, passkey)
    return { ...person, assurance: 'passkey' }
  }

  return [
    route('POST /v1/approvals/:id/decisions', async ({ c, caller, params, body, reply }) => {
      const id = params.id
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
      return reply(200, await card(id, person))
    }),
    route('POST /v1/approvals/:id/extend', async ({ caller, params, body, reply }) => {
      const id = params.id
      const person = personOf(caller)
      await gate.approvals.extend(id, { by: person.person, until: body.until })
      return reply(200, await card(id, person))
    }),
    route('POST /v1/approvals/:id/lift', async ({ caller, params, reply }) => {
      const id = params.id
      const person = personOf(caller)
      await gate.approvals.lift(id, person.person)
      return reply(200, await card(id, person))
    }),
    route('POST /v1/approvals/:id/resolve', async ({ caller, params, body, reply }) => {
      const id = params.id
      const person = personOf(caller)
      const { outcome, reason } = body
      await gate.approvals.resolve(id, {
        by: person.person,
        outcome,
        ...(reason === undefined ? {} : { reason }),
      })
      return reply(200, await card(id, person))
    }),
    route(
      'POST /v1/approvals/:id/reveal',
      async ({ caller, params, body: { path, digest: seen }, reply }) => {
        const { person } = personOf(caller)
        looks.take(JSON.stringify([person.issuer, person.subject]))
        const looked = { by: person, seen, path }
        const value = await gate.approvals.reveal(params.id, looked)
        return reply(200, { path, value })
      },
    ),
    route('POST /v1/approvals/:id/withdraw', async ({ caller, params, reply }) => {
      const { id } = await knownApproval(store, params.id, caller)
      if (caller.kind === 'agent') {
        const withdrawn = await gate.approvals.withdraw(id, { agent: caller.token.agent })
        return reply(200, await agentApproval(store, withdrawn))
      }
      const person = personOf(caller)
      await gate.approvals.withdraw(id, { person: person.person })
      return reply(200, await card(id, person))
    }),
  ]
}
