import type { QueryOf } from '../../api/contract.ts'
import type { ContractOf } from '../../api/contracts.ts'
import type {
  GrantPage,
  GrantProposalAnswer,
  GrantUsePage,
  GrantWishBody,
  WireGrantUse,
} from '../../api/grant.ts'
import type { Infer } from '../../api/schema.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { parseDuration } from '../../base/duration.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { replayGrant } from '../../gate/admin/grant-replay.ts'
import type { GrantWish } from '../../gate/admin/grants.ts'
import type { StoredUse } from '../../store/grants.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { wirePerson } from '../identity/people.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { grantView, ruleOf } from '../view/grant.ts'

type Wish = Infer<typeof GrantWishBody>

export function readWish({ for: lasting, any_run: anyRun, ...wish }: Wish): GrantWish {
  const parsed = lasting === undefined ? undefined : parseDuration(lasting)
  if (parsed && !parsed.ok) throw new CountersignError('invalid_value', `for: ${parsed.problem}`)
  return {
    ...wish,
    ...(parsed ? { lasts: parsed.value } : {}),
    ...(anyRun === undefined ? {} : { anyRun }),
  }
}

/**
 * Standing permissions. Who may make one is decided by the rules of the approval, and by nothing
 * here; agents have no part in it.
 */
export function grantRoutes(services: Services): Route[] {
  const { gate, store, credentials, policy } = services

  async function view(grant: Grant, reader: ReturnType<typeof personOf>['person']) {
    const people = [grant.by, ...(grant.endedBy ? [grant.endedBy] : [])]
    const known = await Promise.all(people.map((one) => credentials.accounts.get(one)))
    const nameOf = (id: PersonId) =>
      wirePerson(
        id,
        known.find((one) => one?.issuer === id.issuer && one.subject === id.subject),
      )
    const [whyNot, lastUse] = await Promise.all([gate.admin.grants.whyNot(grant), lastUseOf(grant)])
    return grantView({ grant, reader, whyNot, lastUse, nameOf })
  }

  async function lastUseOf({ id, uses }: Grant): Promise<WireGrantUse | undefined> {
    if (uses === 0) return undefined
    const newest = await gate.admin.grants.uses(id, { limit: 1 })
    return newest.uses.map(wireUse)[0]
  }

  async function knownGrant(id: string): Promise<Grant> {
    const grant = await gate.admin.grants.get(id)
    if (grant) return grant
    throw new CountersignError('grant_not_found', `there is no grant ${id}`)
  }

  return [
    route('GET /v1/grants', async ({ caller, query, reply }) => {
      const { person } = personOf(caller)
      const { grants, next } = await gate.admin.grants.list(filterOf(query), pageOf(query))
      const page: GrantPage = {
        grants: await Promise.all(grants.map((grant) => view(grant, person))),
        ...(next === undefined ? {} : { next }),
        now: await store.now(),
      }
      return reply(200, page)
    }),
    route('POST /v1/grants', async ({ caller, body, reply }) => {
      const { person } = personOf(caller)
      const { from, kind, tool, server, agent, run, ...rest } = body
      const wish = readWish(rest)
      if (from !== undefined) {
        const stray = Object.keys({ kind, tool, server, agent, run }).find(
          (name) => body[name as keyof typeof body] !== undefined,
        )
        if (stray !== undefined) {
          throw new CountersignError('invalid_value', `${stray} comes from the approval`)
        }
        return reply(201, await view(await gate.admin.grants.mintFrom(from, person, wish), person))
      }
      const { condition, anyRun, ...others } = wish
      if (tool === undefined || agent === undefined || condition === undefined) {
        throw new CountersignError('invalid_value', 'tool, agent and condition are needed', {
          hint: 'Or name an approval in `from`; then they are known.',
        })
      }
      if (anyRun !== undefined) {
        throw new CountersignError('invalid_value', 'any_run goes with from; leave out run instead')
      }
      const named = { ...(kind ? { kind } : {}), ...(server ? { server } : {}) }
      const grant = await gate.admin.grants.mint(person, {
        ...others,
        ...named,
        ...(run === undefined ? {} : { run }),
        tool,
        agent,
        condition,
      })
      return reply(201, await view(grant, person))
    }),
    route('GET /v1/grants/:grant', async ({ caller, params, reply }) => {
      return reply(200, await view(await knownGrant(params.grant), personOf(caller).person))
    }),
    route('GET /v1/grants/:grant/uses', async ({ params, query, reply }) => {
      const { id } = await knownGrant(params.grant)
      const { uses, next } = await gate.admin.grants.uses(id, pageOf(query))
      const page: GrantUsePage = {
        uses: uses.map(wireUse),
        ...(next === undefined ? {} : { next }),
      }
      return reply(200, page)
    }),
    route('DELETE /v1/grants/:grant', async ({ caller, params, reply }) => {
      const { person } = personOf(caller)
      const { id } = await knownGrant(params.grant)
      return reply(200, await view(await gate.admin.grants.revoke(id, person), person))
    }),
    route('POST /v1/approvals/:id/grant-proposal', async ({ caller, params, body, reply }) => {
      const approval = await knownApproval(store, params.id, caller)
      const { person } = personOf(caller)
      const maker = await gate.admin.standIns.withAbsent(person)
      const proposal = gate.admin.grants.propose(approval, maker, readWish(body))
      const { scope, limits, lasts, refusal } = proposal
      const answer: GrantProposalAnswer = {
        rule: ruleOf(scope, limits, lasts),
        may: refusal === undefined,
        ...(refusal
          ? { why: refusal.message, code: refusal.code }
          : {
              recorded: await replayGrant(
                { store, policy: policy() },
                { scope, limits },
                params.id,
              ),
            }),
      }
      return reply(200, answer)
    }),
  ]
}

const wireUse = ({ n, approval, at, amount }: StoredUse): WireGrantUse => ({
  n,
  approval,
  at,
  ...given({ amount }),
})

function filterOf({ state = [], agent, tool }: QueryOf<ContractOf<'GET /v1/grants'>>) {
  const states = state.filter((one) => one !== 'all')
  const isAll = states.length < state.length || state.length === 0
  return { ...given({ agent, tool }), ...(isAll ? {} : { state: states }) }
}

function pageOf({ limit = 100, after }: QueryOf<ContractOf<'GET /v1/grants/:grant/uses'>>) {
  return { limit, ...given({ after }) }
}
