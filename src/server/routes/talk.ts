import type { ApprovalState } from '../../api/approval-acts.ts'
import type { Approval } from '../../approval/approval.ts'
import { lockOnPerson } from '../../approval/locks/lock.ts'
import { isEligible } from '../../approval/people/quorum.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { type Account, accountKey, wirePerson } from '../identity/people.ts'
import { knownApproval, placesNow } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'
import { stateOf } from '../view/state.ts'

const MOST_ASSIGNABLE = 100
/** More than a person types, and few enough that no one floods the others. */
const MOST_SAID = 30

/** What people and askers say to each other. Whether they may is decided by the approval's rules. */
export function talkRoutes(services: Services): Route[] {
  const { gate, store, credentials, presence } = services
  const remarks = createRateLimit({ most: MOST_SAID, windowMs: 60_000, what: 'remarks' })

  async function state(approval: Approval): Promise<ApprovalState> {
    const { status, useBy } = approval
    const met = status === 'pending' ? await placesNow(services, approval) : undefined
    return { ...stateOf(approval), ...given({ useBy, met }) }
  }

  function speaker(caller: PersonCaller): PersonCaller['person'] {
    const { person } = caller
    remarks.take(JSON.stringify([person.issuer, person.subject]))
    return person
  }

  /** Those whose yes could count, and who are not locked. */
  async function assignable(approval: Approval): Promise<readonly Account[]> {
    const copy = lockCopy(store)
    const locks = await copy.current()
    const { accounts } = credentials
    return (await accounts.list()).filter((account) => {
      const person = accounts.person(account, 'passkey')
      if (person.locked || lockOnPerson(locks, person, copy.now())) return false
      return isEligible(approval, person)
    })
  }

  return [
    route('POST /v1/approvals/:id/questions', async ({ caller, params, body, reply }) => {
      const asked = { by: speaker(personOf(caller)), ...body }
      return reply(200, await state(await gate.approvals.question(params.id, asked)))
    }),
    route('POST /v1/approvals/:id/replies', async ({ caller, params, body, reply }) => {
      // Another agent's approval does not exist for this one.
      const { id } = await knownApproval(store, params.id, caller)
      if (caller.kind === 'agent') {
        remarks.take(caller.token.prefix)
        const own = gate.with({ agent: caller.token.agent })
        return reply(200, await agentApproval(store, await own.answer(id, body.text)))
      }
      const said = { by: speaker(personOf(caller)), text: body.text }
      return reply(200, await state(await gate.approvals.reply(id, said)))
    }),
    route('POST /v1/approvals/:id/comments', async ({ caller, params, body, reply }) => {
      const said = { by: speaker(personOf(caller)), text: body.text }
      return reply(200, await state(await gate.approvals.comment(params.id, said)))
    }),
    route('GET /v1/approvals/:id/assignable', async ({ caller, params, reply }) => {
      const found = await assignable(await knownApproval(store, params.id, caller))
      const people = found.slice(0, MOST_ASSIGNABLE).map((account) => ({
        id: accountKey(account),
        ...wirePerson(account, account),
      }))
      return reply(200, { people })
    }),
    route('POST /v1/approvals/:id/assign', async ({ caller, params, body, reply }) => {
      const { person: by } = personOf(caller)
      const approval = await knownApproval(store, params.id, caller)
      if (body.to === undefined) {
        return reply(200, await state(await gate.approvals.assign(params.id, { by })))
      }
      const account = (await assignable(approval)).find((one) => accountKey(one) === body.to)
      if (!account) {
        throw new CountersignError('not_an_approver', 'this person cannot decide this call')
      }
      const to = credentials.accounts.person(account, 'passkey')
      return reply(200, await state(await gate.approvals.assign(params.id, { by, to })))
    }),
    route('POST /v1/approvals/:id/remind', async ({ caller, params, reply }) => {
      const now = await gate.approvals.remind(params.id, personOf(caller).person)
      return reply(200, await state(now))
    }),
    route('POST /v1/approvals/:id/reading', async ({ caller, params, reply }) => {
      const { account } = personOf(caller)
      const { id } = await knownApproval(store, params.id, caller)
      return reply(200, presence.read(id, wirePerson(account, account)))
    }),
  ]
}
