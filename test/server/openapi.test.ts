import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { running } from './harness.ts'

interface Described {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Content>>
  readonly summary: string
  readonly 'x-who': readonly string[]
  readonly requestBody?: Required<Content>
}

async function described(version?: '3.1' | '3.0') {
  const own = running()
  const query = version === undefined ? '' : `?version=${version}`
  const { status, body } = await own.send(`/openapi.json${query}`)
  expect(status).toBe(200)
  return { ...own, api: body as Described }
}

test('the description names every route, and who may use it', async () => {
  const { api, server } = await described()
  expect(api.openapi).toBe('3.1.0')
  const named = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, one]) => `${method} ${path} ${one['x-who'].join()}`),
  )
  const served = server.routes.map(
    ({ method, path, who }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${who.join()}`,
  )
  expect(named.toSorted()).toEqual(served.toSorted())
})

for (const version of ['3.1', '3.0'] as const) {
  test(`OpenAPI ${version}: the description is valid by the schema of its version`, async () => {
    const { api } = await described(version)
    const validator = new Validator()
    expect(await validator.validate(structuredClone(api) as never)).toEqual({ valid: true })
    expect(validator.version).toBe(version)
    const compile = compilerOf(api)
    for (const name of Object.keys(api.components.schemas)) {
      expect(() => compile(name), name).not.toThrow()
    }
  })

  test(`OpenAPI ${version}: a generated client has a name for every operation and type`, async () => {
    const { api } = await described(version)
    const all = Object.values(api.paths).flatMap((one) => Object.values(one))
    const ids = all.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
    const schemas = all.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) => {
        const schema = one?.content?.['application/json']?.schema
        return schema ? [{ operationId, $ref: (schema as { $ref?: string }).$ref }] : []
      }),
    )
    expect(schemas.length).toBeGreaterThan(100)
    expect(schemas.filter(({ $ref }) => $ref === undefined)).toEqual([])
    const used = JSON.stringify(api).matchAll(/"#\/components\/schemas\/(\w+)"/g)
    const missing = [...used].filter(([, name = '']) => !(name in api.components.schemas))
    expect(missing).toEqual([])
  })

  test(`OpenAPI ${version}: what an agent is answered fits what is described`, async () => {
    const { api, send, agent, store } = await described(version)
    const as = await agent('bot')
    const fits = compilerOf(api)('LookAnswer')
    const seen: string[] = []
    for (const [tool, more] of [
      ['read', {}],
      ['wipe', {}],
      ['note', { run: 'r', key: 'k' }],
      ['note', { run: 'r', key: 'other', ask: false }],
    ] as const) {
      const answer = await send('/v1/calls', { as, body: { tool, args: {}, ...more } })
      expect(fits(answer.body), JSON.stringify(fits.errors)).toBe(true)
      seen.push(answer.at('status'))
    }
    expect(seen).toEqual(['allowed', 'blocked', 'pending', 'unasked'])
    expect(fits({ status: 'perhaps' })).toBe(false)
    const [asked] = (await store.list({})).approvals
    const one = await send(`/v1/approvals/${asked?.id}`, { as })
    expect(compilerOf(api)('ApprovalAnswer')(one.body)).toBe(true)
  })
}

test('a client that knows the description alone asks, waits, claims, renews and reports', async () => {
  const { api, send, agent, person } = await described()
  const as = await agent('bot')
  const compile = compilerOf(api)

  /** Sends by the name of an operation. What is sent and what comes back must fit the description. */
  async function call(id: string, body?: object, approval = '') {
    const routes = Object.entries(api.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
    )
    const found = routes.find(({ operation }) => operation.operationId === id)
    if (!found) throw new Error(`${id} is not described`)
    const { path, method, operation } = found
    if (body) expect(fits(operation.requestBody, body)).toBe(true)
    const answer = await send(path.replace('{id}', approval), {
      as,
      method: method.toUpperCase(),
      ...(body ? { body } : {}),
    })
    expect(fits(operation.responses[answer.status], answer.body), id).toBe(true)
    return answer
  }
  function fits(described: Content | undefined, value: unknown): boolean {
    const { $ref = '' } = described?.content?.['application/json']?.schema ?? {}
    return compile($ref.split('/').at(-1) ?? '')(value) as boolean
  }

  const asked = await call('postCalls', { tool: 'note', args: { a: 1 }, run: 'r', key: 'k' })
  const [id, digest] = [asked.at('id'), asked.at('digest')]
  expect((await call('getApprovalsById', undefined, id)).at('status')).toBe('pending')
  const decided = { as: await person('ana@example.com'), body: { verdict: 'approve', digest } }
  await send(`/v1/approvals/${id}/decisions`, decided)
  expect((await call('getApprovalsById', undefined, id)).at('status')).toBe('approved')
  const claim = (await call('postApprovalsByIdClaim', { digest }, id)).at('claim')
  expect((await call('postApprovalsByIdClaim', { digest }, id)).status).toBe(409)
  await call('postApprovalsByIdRenew', { claim }, id)
  const done = await call('postApprovalsByIdResult', { claim, outcome: 'succeeded', result: 1 }, id)
  expect(done.at('execution')).toBe('succeeded')
})

/** Compiles schemas of the description by their names; references are found in it. */
function compilerOf({ components }: Described) {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'api', components })
  return (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` })
}

test.each([
  [{ verdict: 'approve', digest: 'a'.repeat(64) }, true],
  [{ verdict: 'deny', digest: 'a'.repeat(64), reason: 'no', answer: 'ask Bo' }, true],
  [{ verdict: 'approve', digest: 'a'.repeat(64), edit: { arguments: { a: 1 } } }, true],
  [{ verdict: 'approve' }, false],
  [{ verdict: 'review', digest: 'a'.repeat(64) }, false],
  [{ verdict: 'perhaps', digest: 'a'.repeat(64) }, false],
  [{ verdict: 'approve', digest: 'A'.repeat(64) }, false],
  [{ verdict: 'approve', digest: 'a'.repeat(64), by: 'me' }, false],
  [{ verdict: 'approve', digest: 'a'.repeat(64), reason: 'x'.repeat(4_001) }, false],
])('what it says of %j is what the server does', async (body, fits) => {
  const { api, send, person, server } = await described()
  const operation = api.paths['/v1/approvals/{id}/decisions']?.post
  const { $ref = '' } = operation?.requestBody?.content['application/json']?.schema ?? {}
  expect(compilerOf(api)($ref.split('/').at(-1) ?? '')(body)).toBe(fits)
  expect(server.routes.length).toBeGreaterThan(20)
  const as = await person('ana@example.com')
  const answer = await send('/v1/approvals/none/decisions', { as, body })
  expect(answer.at('error.code')).toBe(fits ? 'approval_not_found' : 'invalid_value')
})

const STARTS_PROCESSES = /^(?:command|cmd|exec|executable|shell|env|environment|cwd|mcp_?servers)$/i

/** Names of all members that a schema knows, at any depth. */
function membersOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(membersOf)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? [...Object.keys(value), ...Object.values(value).flatMap(membersOf)]
      : membersOf(value),
  )
}

test('B7-09: no route has a place for a command to start', async () => {
  const { api } = await described()
  const bodies = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => {
        const name = (schema as { $ref?: string }).$ref?.split('/').at(-1) ?? ''
        return { route: `${method} ${path}`, schema: api.components.schemas[name] ?? {} }
      }),
    ),
  )
  expect(bodies.length).toBeGreaterThan(10)
  for (const { route, schema } of bodies) {
    const members = membersOf(schema)
    expect(members, route).not.toEqual([])
    expect(
      members.filter((name) => STARTS_PROCESSES.test(name)),
      route,
    ).toEqual([])
  }
})
