import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import { ERRORS, type ErrorCode } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { PROBLEM_TYPE, PROBLEMS } from './authzen/problem.ts'
import { type ByCaller, type Contract, errorsOf, isForPeople, type Reply } from './contract.ts'
import { CONTRACTS } from './contracts.ts'
import { flatUnions } from './flat-unions.ts'
import { REQUESTS, RESPONSES, WORDS } from './named-schemas.ts'
import type { Schema } from './schema.ts'

/** 3.0 is for generators that do not know 3.1 yet. */
export type OpenApiVersion = '3.1' | '3.0'

export interface Described {
  /** Of Countersign. */
  readonly version: string
  readonly isServed?: (name: string) => boolean
  readonly as?: OpenApiVersion
}

/** The OpenAPI document of the routes that are served, from the contracts that serve them. */
export function openApi({ version, isServed = () => true, as = '3.1' }: Described): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, contract] of Object.entries<Contract>(CONTRACTS)) {
    if (!isServed(name)) continue
    const [method = '', route = ''] = name.split(' ')
    const path = route.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, contract, as) }
  }
  const schemas = [
    ...Object.entries({ ...WORDS, ...RESPONSES }).map(([name, schema]) => [
      name,
      described(schema, { as, name }),
    ]),
    ...byCallers().map(({ name, person, agent }) => [
      name,
      { anyOf: [person, agent].map((one) => described(one, { as })) },
    ]),
    ...Object.entries(REQUESTS).map(([name, schema]) => [
      name,
      described(schema, { as, name, isRequest: true }),
    ]),
  ]
  const named = Object.fromEntries(schemas) as JsonObject
  return {
    openapi: as === '3.1' ? '3.1.0' : '3.0.3',
    info: {
      title: 'Countersign',
      version,
      description: "Asks a person before an AI agent's tool call runs.",
      license: { name: 'Apache-2.0', ...(as === '3.1' ? { identifier: 'Apache-2.0' } : {}) },
    },
    servers: [{ url: '/' }],
    tags: tags(),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'countersign-PORT',
          description: 'Its name ends with the port; over TLS it is __Host-countersign.',
        },
        agent: { type: 'http', scheme: 'bearer' },
      },
      schemas: as === '3.0' ? flatUnions(named) : named,
    },
  }
}

function byCallers(): readonly ByCaller[] {
  const replies = Object.values<Contract>(CONTRACTS).flatMap(({ responses }) =>
    Object.values(responses),
  )
  return replies.flatMap((reply) => (reply.kind === 'by-caller' ? [reply] : []))
}

function tags(): Json {
  const all = Object.values<Contract>(CONTRACTS).map(({ tag }) => tag)
  return [...new Set(all)].map((name) => ({ name }))
}

function operation(name: string, contract: Contract, as: OpenApiVersion): Json {
  const { who, summary, body, query = {}, tag, isOpen } = contract
  const params = [...name.matchAll(/:(\w+)/g)].flatMap(([, param]) => param ?? [])
  const isKeyed = isForPeople(contract) && !isOpen
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    'x-who': who,
    parameters: [
      ...params.map((param) => parameter(param, 'path', { type: 'string' })),
      ...Object.entries(query).map(([param, schema]) => ({
        ...parameter(param, 'query', described(schema, { as, isRequest: true })),
        // Lists are written with commas.
        ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      })),
      ...(isKeyed ? [parameter('x-countersign-csrf', 'header', { type: 'string' })] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: json(described(body, { as, isRequest: true })) } }
      : {}),
    responses: responsesOf(name, contract, as),
    security: [
      ...(isForPeople(contract) ? [{ session: [] }] : []),
      ...(who.includes('agent') ? [{ agent: [] }] : []),
      ...(who.includes('anyone') ? [{}] : []),
    ],
  }
}

/** `POST /v1/approvals/:id/claim` → `postApprovalsByIdClaim`. */
function operationId(name: string): string {
  const [method = '', path = ''] = name.split(' ')
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

function responsesOf(name: string, contract: Contract, as: OpenApiVersion): Json {
  const good = Object.entries(contract.responses).map(([status, reply]) => [
    status,
    { description: contract.answer, ...contentOf(reply, as) },
  ])
  const byStatus = Map.groupBy(errorsOf(name, contract), (code: ErrorCode) => ERRORS[code].http)
  const problems = Map.groupBy(contract.problems ?? [], (problem) => PROBLEMS[problem])
  const oauth = contract.oauthErrors ? [400] : []
  const bad = [...new Set<number>([...byStatus.keys(), ...problems.keys(), ...oauth])].map(
    (status) => {
      const codes = byStatus.get(status as never) ?? []
      const named = problems.get(status as never) ?? []
      const shapes = [
        ...(codes.length > 0 ? [REF('Error')] : []),
        ...(oauth.includes(status) ? [REF('OAuthError')] : []),
      ]
      const [shape, ...others] = shapes
      const content = {
        ...(shape === undefined
          ? {}
          : (json(others.length === 0 ? shape : { anyOf: shapes }) as JsonObject)),
        ...(named.length > 0 ? { [PROBLEM_TYPE]: { schema: REF('Problem') } } : {}),
      }
      return [
        status,
        {
          description: [...codes, ...named].join(', ') || 'As RFC 6749 says',
          'x-codes': [...codes, ...named],
          content,
        },
      ]
    },
  )
  return Object.fromEntries([...good, ...bad])
}

function contentOf(reply: Reply, as: OpenApiVersion): { readonly content?: Json } {
  if (reply.kind === 'empty') return {}
  if (reply.kind === 'raw') return { content: { [reply.type]: {} } }
  if (reply.kind === 'schema') return { content: json(described(reply, { as })) }
  return { content: json(REF(reply.name)) }
}

function parameter(name: string, place: 'path' | 'query' | 'header', schema: Json) {
  return { name, in: place, required: place === 'path', schema }
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}

const REF = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

interface As {
  readonly as: OpenApiVersion
  /** The one that is defined here. */
  readonly name?: string
  readonly isRequest?: boolean
}

/**
 * As JSON Schema. What has a name is a reference, except where it is defined. Only requests are
 * closed: a response may get further members in a later version.
 */
function described(schema: Schema, { as, name = '', isRequest = false }: As): Json {
  const known: Record<string, Schema> = { ...WORDS, ...(isRequest ? REQUESTS : RESPONSES) }
  const definitions = Object.entries(known).filter(([one]) => one !== name)
  const {
    $schema: _,
    $defs: __,
    ...found
  } = toJsonSchema(schema as never, {
    definitions: Object.fromEntries(definitions) as never,
    target: as === '3.1' ? 'draft-2020-12' : 'openapi-3.0',
    errorMode: 'ignore',
  }) as JsonSchema
  return tidied(found as Json, isRequest)
}

/** Definitions stand in `components`, and generators want a type beside every constant. */
function tidied(schema: Json, isRequest: boolean): Json {
  if (Array.isArray(schema)) return schema.map((one) => tidied(one, isRequest))
  if (typeof schema !== 'object' || schema === null) return schema
  // In 3.0 nothing counts beside a reference, and null is allowed only beside a type.
  if ('nullable' in schema && '$ref' in schema) {
    const { nullable, ...named } = schema
    return { type: 'object', nullable, allOf: [tidied(named as Json, isRequest)] } as Json
  }
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === '$ref') return [[key, String(value).replace('#/$defs/', '#/components/schemas/')]]
    if (key === 'const' || (key === 'enum' && !('type' in schema))) {
      const [one] = [value].flat()
      return [
        ['type', typeof one],
        [key, value],
      ]
    }
    if (key === 'required' && Array.isArray(value) && value.length === 0) return []
    if (key === 'propertyNames' || (key === 'minLength' && value === 0)) return []
    if (key === 'additionalProperties' && value === false && !isRequest) return []
    return [[key, tidied(value as Json, isRequest)]]
  })
  return Object.fromEntries(members)
}
