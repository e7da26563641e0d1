import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { evaluation } from './authzen-client.ts'
import { PLACED, type World, world } from './authzen-forger.ts'

const PAY = evaluation('pay', { amount: 500, to: 'Lena' })

/** A request that must not become a task, and the problem or status it ends with. */
type BadRequest = [string, string | number, (w: World) => Promise<object>]

async function denied(w: World, body: object = PAY, point = w.pep) {
  return { ...body, denial: point.denialOf(await point.evaluate(body)) }
}

function changed(
  name: string,
  expected: string | number,
  change: (body: { denial: { evaluation_id?: string | undefined } }) => object,
): BadRequest {
  return [name, expected, async (w) => change(await denied(w))]
}

const UNBOUND = 'invalid_denial_binding'

const REQUESTS: readonly BadRequest[] = [
  changed('no denial', 400, ({ denial: _, ...body }) => body),
  changed('no id of an evaluation', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, evaluation_id: undefined },
  })),
  changed('no end', 400, ({ denial, ...body }) => ({
    ...body,
    denial: { evaluation_id: denial.evaluation_id },
  })),
  changed('an invented evaluation', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, evaluation_id: 'eval_01HX4Y2P8BQ4Y3F0V0K9D6Z7M1' },
  })),
  changed('an evaluation without its seal', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, evaluation_id: denial.evaluation_id?.split('.')[0] },
  })),
  changed('a seal of zeros', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: {
      ...denial,
      evaluation_id: `${denial.evaluation_id?.split('.')[0]}.${'A'.repeat(43)}`,
    },
  })),
  changed('an evaluation that was rewritten', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, evaluation_id: rewritten(denial.evaluation_id ?? '') },
  })),
  changed('a number for an evaluation', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, evaluation_id: 7 },
  })),
  changed('a binding token', UNBOUND, ({ denial, ...body }) => ({
    ...body,
    denial: { ...denial, binding_token: 'eyJhbGciOiJub25lIn0.e30.' },
  })),
  changed('other arguments', UNBOUND, (body) => ({
    ...body,
    resource: { ...PAY.resource, properties: { amount: 501, to: 'Lena' } },
  })),
  changed('another tool', UNBOUND, (body) => ({
    ...body,
    action: { name: 'wire' },
    resource: { ...PAY.resource, id: 'wire' },
  })),
  changed('an action on another tool', 400, (body) => ({ ...body, action: { name: 'wire' } })),
  changed('another resource', UNBOUND, (body) => ({
    ...body,
    resource: { ...PAY.resource, type: 'account', id: 'x' },
  })),
  changed('properties of the subject', UNBOUND, (body) => ({
    ...body,
    subject: { type: 'agent', id: 'bot', properties: { admin: true } },
  })),
  changed('another subject', 403, (body) => ({ ...body, subject: { type: 'agent', id: 'mal' } })),
  changed('another actor', 403, (body) => ({ ...body, client: { actor: { id: 'mal' } } })),
  changed('a chain of actors', 403, (body) => ({
    ...body,
    client: { actor: { id: 'bot', act: { sub: 'ana@example.com', iss: 'x' } } },
  })),
  changed('several items', 'not_requestable', ({ denial }) => ({
    subject: PAY.subject,
    items: [{ action: PAY.action, resource: PAY.resource }],
    denial,
  })),
  changed('a callback', 'not_requestable', (body) => ({
    ...body,
    callback: { endpoint: 'http://169.254.169.254/' },
  })),
  [
    'a changed context',
    UNBOUND,
    async (w) => ({ ...(await denied(w, PLACED)), context: { ticket: 'T-2' } }),
  ],
  [
    'a context that was left out',
    UNBOUND,
    async (w) => ({ ...(await denied(w, PLACED)), context: {} }),
  ],
  [
    'the denial of another agent',
    UNBOUND,
    async (w) => ({
      ...PAY,
      denial: (
        await denied(w, evaluation('pay', { amount: 500, to: 'Lena' }, undefined, 'mal'), w.malPep)
      ).denial,
    }),
  ],
  [
    'the denial of another tenant',
    UNBOUND,
    async (w) => ({ ...PAY, denial: (await denied(w, PAY, w.farPep)).denial }),
  ],
]

function rewritten(id: string): string {
  const [text = '', seal] = id.slice(5).split('.')
  const sealed = JSON.parse(Buffer.from(text, 'base64url').toString()) as object
  const other = { ...sealed, expiresAt: 9_999_999_999_999 }
  return `eval_${Buffer.from(JSON.stringify(other)).toString('base64url')}.${seal}`
}

promise.each(
  ['CS-AZ-8', 'CS-AZ-17'],
  'no task comes of it',
  REQUESTS,
  async (_, expected, forge) => {
    const w = await world()
    const answer = await w.pep.request(await forge(w))
    if (typeof expected === 'number') expect(answer.status).toBe(expected)
    else expect(answer.at('type')).toBe(`urn:openid:authzen:access-request:error:${expected}`)
    expect((await w.own.store.list({}, { limit: 10 })).approvals).toEqual([])
  },
)
