import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { running } from './harness.ts'

interface Described {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly summary: string
  readonly 'x-who': readonly string[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
}

async function described() {
  const own = running()
  const { status, body } = await own.send('/openapi.json')
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
  const schema = operation?.requestBody?.content['application/json']?.schema ?? {}
  expect(new Ajv2020().validate(schema, body)).toBe(fits)
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
      Object.values(requestBody?.content ?? {}).map(({ schema }) => ({
        route: `${method} ${path}`,
        schema,
      })),
    ),
  )
  expect(bodies.length).toBeGreaterThan(10)
  for (const { route, schema } of bodies) {
    const members = membersOf(schema)
    expect(
      members.filter((name) => STARTS_PROCESSES.test(name)),
      route,
    ).toEqual([])
  }
})
