import * as v from 'valibot'
import { WireError } from '../../src/api/approval.ts'
import { PROBLEM_TYPE, PROBLEMS, Problem } from '../../src/api/authzen/problem.ts'
import { type Contract, errorsOf, type Reply } from '../../src/api/contract.ts'
import { CONTRACTS } from '../../src/api/contracts.ts'
import { OAuthError } from '../../src/api/oauth/oauth.ts'
import type { Schema } from '../../src/api/schema.ts'
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'

/** What a server answered, and to whom. */
export interface Exchange {
  readonly method: string
  /** As sent, with or without a query. */
  readonly path: string
  readonly caller: 'person' | 'agent'
  readonly status: number
  readonly type: string
  readonly body: unknown
}

const ROUTES = Object.entries<Contract>(CONTRACTS).map(([name, contract]) => {
  const [method = '', path = ''] = name.split(' ')
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
  const params = path.split(':').length - 1
  return { name, contract, method, is: new RegExp(`^${pattern}$`), params }
})

/** The contract that a request falls under; of several, the one with the fewest parameters. */
export function contractFor(method: string, path: string) {
  const [place = ''] = path.split('?')
  return ROUTES.filter((one) => one.method === method && one.is.test(place)).toSorted(
    (one, other) => one.params - other.params,
  )[0]
}

/** Everything in which an answer differs from its contract; nothing where there is no contract. */
export function breaches(exchange: Exchange): readonly string[] {
  const { method, path, status, body } = exchange
  const route = contractFor(method, path)
  // An unknown address is answered by no route.
  if (!route) return []
  const where = `${route.name} → ${status}`
  if (exchange.type.startsWith(PROBLEM_TYPE)) {
    return problemBreaches(route.contract, exchange).map((problem) => `${where}: ${problem}`)
  }
  if (route.contract.oauthErrors && typeof (body as OAuthError).error === 'string') {
    const wrong = status === 400 ? schemaProblems(OAuthError, body) : ['is not 400']
    return wrong.map((problem) => `${where}: ${problem}`)
  }
  if (status >= 400) return refusalBreaches(where, route, status, body)
  const reply = route.contract.responses[status]
  if (!reply) return [`${where}: the contract has no such status`]
  return replyBreaches(reply, exchange).map((problem) => `${where}: ${problem}`)
}

function problemBreaches(
  { problems = [] }: Contract,
  { status, body }: Exchange,
): readonly string[] {
  const wrong = schemaProblems(Problem, body)
  if (wrong.length > 0) return wrong
  const { type, status: said } = body as Problem
  const known = problems.find((name) => type.endsWith(`:${name}`))
  if (known === undefined) return [`does not list the problem ${type}`]
  return PROBLEMS[known] === status && said === status ? [] : [`${type} has another status`]
}

function refusalBreaches(
  where: string,
  { name, contract }: { readonly name: string; readonly contract: Contract },
  status: number,
  body: unknown,
): readonly string[] {
  const problems = schemaProblems(WireError, body).map((problem) => `${where}: ${problem}`)
  if (problems.length > 0) return problems
  const { code } = (body as WireError).error as { code: ErrorCode }
  if (!errorsOf(name, contract).includes(code)) return [`${where}: does not list the code ${code}`]
  return ERRORS[code].http === status ? [] : [`${where}: ${code} has another status`]
}

function replyBreaches(reply: Reply, { caller, type, body }: Exchange): readonly string[] {
  switch (reply.kind) {
    case 'empty':
      return body === '' || body === undefined ? [] : ['has a body']
    case 'raw':
      return type.startsWith(reply.type) ? [] : [`is ${type}, not ${reply.type}`]
    case 'by-caller':
      return schemaProblems(reply[caller], body)
    default:
      return schemaProblems(reply as Schema, body)
  }
}

function schemaProblems(schema: Schema, value: unknown): readonly string[] {
  const { issues = [] } = v.safeParse(schema, value)
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'the body'} ${issue.message}`)
}
