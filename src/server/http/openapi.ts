import type { Json } from '../../base/json/json.ts'
import type { Route } from './route.ts'

/** The description of the API, from the very table that serves it. */
export function openApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const one of routes) {
    const path = one.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method]: operation(one) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version,
      description: "Asks a person before an AI agent's tool call runs.",
    },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'countersign-PORT' },
        agent: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: ERROR },
    },
  }
}

function operation(spec: Route): Json {
  const { path, who, summary, body, query = {}, answer, isOpen } = spec
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? [])
  const isForPeople = who.some((one) => one !== 'agent' && one !== 'anyone')
  const inPath = names.map((name) => parameter(name, 'path', { type: 'string' }))
  const inQuery = Object.entries(query).map(([name, schema]) => parameter(name, 'query', schema))
  const csrf =
    isForPeople && !isOpen
      ? [{ ...parameter('x-countersign-csrf', 'header', { type: 'string' }), required: false }]
      : []
  return {
    summary,
    'x-who': who,
    parameters: [...inPath, ...inQuery, ...csrf],
    ...(body ? { requestBody: { required: true, content: json(body.schema) } } : {}),
    responses: {
      '2XX': { description: answer },
      default: {
        description: 'Refused.',
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    },
    security: [
      ...(isForPeople ? [{ session: [] }] : []),
      ...(who.includes('agent') ? [{ agent: [] }] : []),
    ],
  }
}

function parameter(name: string, place: 'path' | 'query' | 'header', schema: Json) {
  return { name, in: place, required: place === 'path', schema }
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}

const ERROR: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        hint: { type: 'string' },
        at: { type: 'array', items: { type: 'string' } },
        sentence: { type: 'boolean', description: 'the message is a sentence for the model' },
      },
    },
  },
}
