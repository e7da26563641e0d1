import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import { ERRORS, type ErrorCode } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import { AgentApproval, CallAnswer, ClaimAnswer, LookAnswer, PolicyBundle } from './agent.ts'
import { ApprovalCard, ApprovalPage, ApprovalRow, Me, WireError, WireEvent } from './approval.ts'
import { AuditPage, ChainState } from './audit.ts'
import { Assurance, ExecutionState, RiskLevel, Status, WirePerson } from './common.ts'
import { type Contract, errorsOf, isForPeople, type Reply } from './contract.ts'
import { CONTRACTS } from './contracts.ts'
import { GrantPage, WireGrant, WireGrantRule } from './grant.ts'
import { AgentLocks, LockList, WireLock } from './locks.ts'
import { NoticePage } from './notice.ts'
import { PeopleList, TokenList, WireAccount } from './people.ts'
import { ExplainedCall, PolicyDraft, PolicyStatus } from './policy.ts'
import type { Schema } from './schema.ts'
import { ServerList } from './servers.ts'
import { SignedIn } from './session.ts'
import { StandInList, WireStandIn } from './stand-ins.ts'
import { SwitchList, WireSwitch } from './switches.ts'

/** Named in the document, so that generated clients have types of these names. */
const NAMED = {
  ...{ AgentApproval, CallAnswer, ClaimAnswer, LookAnswer, PolicyBundle },
  ...{ ApprovalCard, ApprovalPage, ApprovalRow, Me, AuditPage, ChainState },
  ...{ Assurance, ExecutionState, RiskLevel, Status, Person: WirePerson, Event: WireEvent },
  ...{ GrantPage, Grant: WireGrant, GrantRule: WireGrantRule },
  ...{ AgentLocks, LockList, Lock: WireLock },
  ...{ NoticePage, PeopleList, TokenList, Account: WireAccount },
  ...{ ExplainedCall, PolicyDraft, PolicyStatus, ServerList, SignedIn },
  ...{ StandInList, StandIn: WireStandIn, SwitchList, Switch: WireSwitch },
  Error: WireError,
}

/** The OpenAPI document of the routes that are served, from the contracts that serve them. */
export function openApi(version: string, isServed: (name: string) => boolean = () => true): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, contract] of Object.entries<Contract>(CONTRACTS)) {
    if (!isServed(name)) continue
    const [method = '', route = ''] = name.split(' ')
    const path = route.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, contract) }
  }
  const schemas = Object.entries(NAMED).map(([name, schema]) => [name, described(schema, { name })])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description: "Asks a person before an AI agent's tool call runs.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
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
      schemas: Object.fromEntries(schemas),
    },
  }
}

function tags(): Json {
  const all = Object.values<Contract>(CONTRACTS).map(({ tag }) => tag)
  return [...new Set(all)].map((name) => ({ name }))
}

function operation(name: string, contract: Contract): Json {
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
        ...parameter(param, 'query', described(schema, { isRequest: true })),
        // Lists are written with commas.
        ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      })),
      ...(isKeyed ? [parameter('x-countersign-csrf', 'header', { type: 'string' })] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: json(described(body, { isRequest: true })) } }
      : {}),
    responses: responsesOf(name, contract),
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

function responsesOf(name: string, contract: Contract): Json {
  const good = Object.entries(contract.responses).map(([status, reply]) => [
    status,
    { description: contract.answer, ...contentOf(reply) },
  ])
  const byStatus = Map.groupBy(errorsOf(name, contract), (code: ErrorCode) => ERRORS[code].http)
  const bad = [...byStatus].map(([status, codes]) => [
    status,
    { description: codes.join(', '), 'x-codes': codes, content: json(REF('Error')) },
  ])
  return Object.fromEntries([...good, ...bad])
}

function contentOf(reply: Reply): { readonly content?: Json } {
  if (reply.kind === 'empty') return {}
  if (reply.kind === 'raw') return { content: { [reply.type]: {} } }
  if (reply.kind === 'schema') return { content: json(described(reply)) }
  return { content: json({ anyOf: [described(reply.person), described(reply.agent)] }) }
}

function parameter(name: string, place: 'path' | 'query' | 'header', schema: Json) {
  return { name, in: place, required: place === 'path', schema }
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}

const REF = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/**
 * As JSON Schema. What has a name is a reference, except where it is defined. Only requests are
 * closed: a response may get further members in a later version.
 */
function described(schema: Schema, { name = '', isRequest = false } = {}): Json {
  const definitions = Object.entries(NAMED).filter(([known]) => known !== name && !isRequest)
  const {
    $schema: _,
    $defs: __,
    ...found
  } = toJsonSchema(schema as never, {
    definitions: Object.fromEntries(definitions) as never,
    target: 'draft-2020-12',
    errorMode: 'ignore',
  }) as JsonSchema
  return tidied(found as Json, isRequest)
}

/** Definitions stand in `components`, and generators want a type beside every constant. */
function tidied(schema: Json, isRequest: boolean): Json {
  if (Array.isArray(schema)) return schema.map((one) => tidied(one, isRequest))
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === '$ref') return [[key, String(value).replace('#/$defs/', '#/components/schemas/')]]
    if (key === 'const')
      return [
        ['type', typeof value],
        [key, value],
      ]
    if (key === 'propertyNames' || (key === 'minLength' && value === 0)) return []
    if (key === 'additionalProperties' && value === false && !isRequest) return []
    return [[key, tidied(value as Json, isRequest)]]
  })
  return Object.fromEntries(members)
}
