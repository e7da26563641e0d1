import type { Context } from 'hono'
import type { DecisionBody } from '../../api/approval.ts'
import type { ApprovalState } from '../../api/approval-acts.ts'
import type { Infer } from '../../api/schema.ts'
import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import { given } from '../../base/json/json.ts'
import { questionOf } from '../../gate/content/stored-content.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { siteOf } from '../identity/passkey-site.ts'
import { knownApproval, placesNow } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'
import { stateOf } from '../view/state.ts'
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

  /** What still lacks is counted while something does. */
  async function state(approval: Approval): Promise<ApprovalState> {
    const { status, useBy, lifted } = approval
    const met = status === 'pending' ? await placesNow(services, approval) : undefined
    const isLifted = lifted ? { lifted: true as const } : {}
    return { ...stateOf(approval), ...given({ useBy, met }), ...isLifted }
  }

  /** New arguments make another question. */
  async function question(id: string): Promise<Pick<ApprovalState, 'message' | 'values'>> {
    const { message, values } = questionOf(await store.content(id, ['question'])) ?? {}
    return given({ message, values })
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
      const now = await gate.approvals.decide(id, {
        by: await surely(c, id, person, body),
        verdict,
        seen: body.digest,
        ...(reason === undefined ? {} : { reason }),
        ...(answer === undefined ? {} : { answer }),
        ...(payload === undefined ? {} : { payload }),
        ...(edit === undefined ? {} : { args: edit.arguments }),
        ...(grant === undefined ? {} : { grant: readWish(grant) }),
      })
      return reply(200, { ...(await state(now)), ...(edit ? await question(id) : {}) })
    }),
    route('POST /v1/approvals/:id/extend', async ({ caller, params, body, reply }) => {
      const { person: by } = personOf(caller)
      const now = await gate.approvals.extend(params.id, { by, until: body.until })
      return reply(200, await state(now))
    }),
    route('POST /v1/approvals/:id/lift', async ({ caller, params, reply }) => {
      const now = await gate.approvals.lift(params.id, personOf(caller).person)
      return reply(200, await state(now))
    }),
    route('POST /v1/approvals/:id/resolve', async ({ caller, params, body, reply }) => {
      const { outcome, reason } = body
      const now = await gate.approvals.resolve(params.id, {
        by: personOf(caller).person,
        outcome,
        ...(reason === undefined ? {} : { reason }),
      })
      return reply(200, await state(now))
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
      const { person } = personOf(caller)
      return reply(200, await state(await gate.approvals.withdraw(id, { person })))
    }),
  ]
}
