import type { Context } from 'hono'
import { GRANT_STATES, type Grant } from '../../approval/grants/grant.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { parseDuration } from '../../base/duration.ts'
import { CountersignError } from '../../base/errors.ts'
import type { GrantWish } from '../../gate/admin/grants.ts'
import type { GrantPage, GrantProposalAnswer, GrantUsePage } from '../../wire/grant.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import {
  anyJson,
  flag,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  whole,
} from '../http/shape.ts'
import { wirePerson } from '../identity/people.ts'
import { knownApproval } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { grantView, ruleOf } from '../view/grant.ts'

const NAME = text({ min: 1, max: 1_024 })

const WISH_FIELDS = {
  condition: optional(anyJson),
  uses: optional(whole({ min: 1, max: 10_000 })),
  for: optional(text({ min: 2, max: 100, description: 'a duration, at most 30 days' })),
  budget: optional(object({ path: NAME, most: number({ min: 0 }) })),
  any_run: optional(flag),
  reason: optional(text({ max: 4_000 })),
}

/** How far a grant should reach; also sent with a decision. */
export const GRANT_WISH = object(WISH_FIELDS)

type WishBody = typeof GRANT_WISH extends Shape<infer T> ? T : never

export function readWish({ for: lasting, any_run: anyRun, ...wish }: WishBody): GrantWish {
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
  const { gate, store, credentials } = services

  async function view(grant: Grant, reader: ReturnType<typeof personOf>['person']) {
    const people = [grant.by, ...(grant.endedBy ? [grant.endedBy] : [])]
    const known = await Promise.all(people.map((one) => credentials.accounts.get(one)))
    const nameOf = (id: PersonId) =>
      wirePerson(
        id,
        known.find((one) => one?.issuer === id.issuer && one.subject === id.subject),
      )
    return grantView({ grant, reader, whyNot: await gate.admin.grants.whyNot(grant), nameOf })
  }

  async function knownGrant(c: Context): Promise<Grant> {
    const id = c.req.param('grant') ?? ''
    const grant = await gate.admin.grants.get(id)
    if (grant) return grant
    throw new CountersignError('grant_not_found', `there is no grant ${id}`)
  }

  return [
    route({
      method: 'get',
      path: '/v1/grants',
      who: PEOPLE,
      summary: 'Standing permissions, newest first.',
      query: {
        state: { type: 'string', description: 'one or several, separated by commas; or all' },
        agent: { type: 'string' },
        tool: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        after: { type: 'string', description: 'next of the page before' },
      },
      answer: 'The grants with what is left of them, and where the next page begins.',
      async handle({ c, caller }) {
        const { person } = personOf(caller)
        const { grants, next } = await gate.admin.grants.list(readFilter(c), readPage(c))
        const page: GrantPage = {
          grants: await Promise.all(grants.map((grant) => view(grant, person))),
          ...(next === undefined ? {} : { next }),
          now: await store.now(),
        }
        return c.json(page)
      },
    }),
    route({
      method: 'post',
      path: '/v1/grants',
      who: PEOPLE,
      summary: 'Make a grant: from an approval that has its yes, or by hand.',
      body: object({
        ...WISH_FIELDS,
        from: optional(NAME),
        kind: optional(oneOf('tool', 'agent', 'skill')),
        tool: optional(NAME),
        server: optional(NAME),
        agent: optional(NAME),
        run: optional(NAME),
      }),
      answer: 'The grant.',
      async handle({ c, caller, body }) {
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
          return c.json(
            await view(await gate.admin.grants.mintFrom(from, person, wish), person),
            201,
          )
        }
        const { condition, anyRun, ...others } = wish
        if (tool === undefined || agent === undefined || condition === undefined) {
          throw new CountersignError('invalid_value', 'tool, agent and condition are needed', {
            hint: 'Or name an approval in `from`; then they are known.',
          })
        }
        if (anyRun !== undefined) {
          throw new CountersignError(
            'invalid_value',
            'any_run goes with from; leave out run instead',
          )
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
        return c.json(await view(grant, person), 201)
      },
    }),
    route({
      method: 'get',
      path: '/v1/grants/:grant',
      who: PEOPLE,
      summary: 'One grant.',
      answer: 'The grant with what is left of it.',
      async handle({ c, caller }) {
        return c.json(await view(await knownGrant(c), personOf(caller).person))
      },
    }),
    route({
      method: 'get',
      path: '/v1/grants/:grant/uses',
      who: PEOPLE,
      summary: 'The calls a grant let through, newest first.',
      query: { limit: { type: 'integer', minimum: 1, maximum: 500 }, after: { type: 'string' } },
      answer: 'Uses, each with its approval.',
      async handle({ c }) {
        const { id } = await knownGrant(c)
        const { uses, next } = await gate.admin.grants.uses(id, readPage(c))
        const page: GrantUsePage = {
          uses: uses.map(({ grant: _, ...use }) => use),
          ...(next === undefined ? {} : { next }),
        }
        return c.json(page)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/grants/:grant',
      who: PEOPLE,
      summary: 'Revoke a grant: its maker, approvers and admins may.',
      answer: 'The grant as it is now.',
      async handle({ c, caller }) {
        const { person } = personOf(caller)
        const { id } = await knownGrant(c)
        return c.json(await view(await gate.admin.grants.revoke(id, person), person))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/grant-proposal',
      who: PEOPLE,
      summary: 'The exact grant that could be made from an approval. Makes nothing.',
      body: GRANT_WISH,
      answer: 'The rule, and whether the reader may make it or why not.',
      async handle({ c, caller, body }) {
        const approval = await knownApproval(store, c.req.param('id') ?? '', caller)
        const { person } = personOf(caller)
        const maker = await gate.admin.standIns.withAbsent(person)
        const proposal = gate.admin.grants.propose(approval, maker, readWish(body))
        const { scope, limits, lasts, refusal } = proposal
        const answer: GrantProposalAnswer = {
          rule: ruleOf(scope, limits, lasts),
          may: refusal === undefined,
          ...(refusal ? { why: refusal.message, code: refusal.code } : {}),
        }
        return c.json(answer)
      },
    }),
  ]
}

function readFilter(c: Context) {
  const words = c.req.query('state') ?? 'all'
  const named = ['agent', 'tool'].flatMap((name) => {
    const value = c.req.query(name)
    return value === undefined ? [] : [[name, value]]
  })
  const equal: { agent?: string; tool?: string } = Object.fromEntries(named)
  if (words === 'all') return equal
  const state = words.split(',').map((word) => {
    const known = GRANT_STATES.find((one) => one === word)
    if (known !== undefined) return known
    throw new CountersignError('invalid_value', `state is none of ${GRANT_STATES.join(', ')}`)
  })
  return { ...equal, state }
}

function readPage(c: Context) {
  const limit = Number(c.req.query('limit') ?? 100)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new CountersignError('invalid_value', 'limit is no whole number from 1 to 500')
  }
  const after = c.req.query('after')
  return { limit, ...(after === undefined ? {} : { after }) }
}
