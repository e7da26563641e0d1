import { CountersignError } from '../../base/errors.ts'
import { personOf, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { object, optional, text } from '../shape.ts'

const EMAIL = text({ min: 3, max: 254 })

/**
 * Who may sign in, and which agents may ask. Nobody is invited from here: whoever makes a link could
 * use it, and an admin must not become somebody else.
 */
export function accountRoutes({ credentials }: Services): Route[] {
  const { accounts, tokens } = credentials
  return [
    route({
      method: 'get',
      path: '/v1/people',
      who: ['admin'],
      summary: 'Everybody who may sign in.',
      answer: 'A list of people with their roles.',
      handle: async ({ c }) => c.json({ people: await accounts.list() }),
    }),
    route({
      method: 'get',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'The tokens of agents, without their secrets.',
      answer: 'A list of tokens.',
      handle: async ({ c }) => c.json({ tokens: await tokens.list() }),
    }),
    route({
      method: 'post',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'Make a token for an agent.',
      body: object({ agent: text({ min: 1, max: 128 }), principal: optional(EMAIL) }),
      answer: 'The token, shown this once.',
      handle: async ({ c, body }) => c.json(await tokens.create(body), 201),
    }),
    route({
      method: 'delete',
      path: '/v1/tokens/:prefix',
      who: ['admin'],
      summary: 'Revoke a token.',
      answer: 'Nothing.',
      async handle({ c, caller }) {
        personOf(caller)
        const isGone = await tokens.revoke(c.req.param('prefix') ?? '')
        if (!isGone) throw new CountersignError('not_found', 'there is no such token')
        return c.body(null, 204)
      },
    }),
  ]
}
