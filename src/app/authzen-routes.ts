import type { AuthzenDecision } from '../api/authzen/evaluation.ts'
import { MOST_EVALUATIONS } from '../api/authzen/evaluation.ts'
import { PROBLEM_TYPE, type ProblemName, problemOf } from '../api/authzen/problem.ts'
import { readSubmission, submitRequest } from '../authzen/access-request.ts'
import { createDenialBinding } from '../authzen/denial-binding.ts'
import { type DecisionPoint, evaluateTuple, reevaluateTuple } from '../authzen/evaluate.ts'
import { AUTHZEN_DOOR, taskAddress, taskOf } from '../authzen/task.ts'
import { type Entity, readContext, readTuple, type Tuple } from '../authzen/tuple.ts'
import { CountersignError, ERRORS, isCountersignError } from '../base/errors.ts'
import { isPlainObject } from '../base/json/json.ts'
import type { Gate } from '../gate/gate.ts'
import { ownerName } from '../gate/identity.ts'
import { homeOf } from '../server/http/home.ts'
import { agentOf, type Route, route, routeReading } from '../server/http/route.ts'
import type { AgentCaller, Caller } from '../server/identity/caller.ts'
import { isOwn } from '../server/read-approvals.ts'
import type { Services } from '../server/services.ts'

type Context = Parameters<Route['handle']>[0]['c']

/** Kept ready at once. More tokens than that only means making some again. */
const MOST_GATES = 1_000

/** Seconds after which looking at a task again is worth it. */
const RETRY_AFTER = '5'

/** One evaluation as it was sent. */
interface Sent {
  readonly tuple: Tuple
  /** `context.approval`. */
  readonly reference: unknown
}

interface SentList {
  readonly evaluations: readonly unknown[]
  readonly semantic: 'execute_all' | 'deny_on_first_deny' | 'permit_on_first_permit'
}

/**
 * AuthZEN: the Authorization API 1.0, and its Access Request and Approval Profile. Every route speaks
 * for the agent of its token, and for no other subject.
 */
export function authzenRoutes(services: Services): readonly Route[] {
  const { gate, store, credentials, meter, limits } = services
  const binding = createDenialBinding(store)
  const gates = new Map<string, Gate>()

  /** Made once for each token: what it is bound to never changes. */
  function gateOf({ token: { prefix, agent, principal } }: AgentCaller): Gate {
    const known = gates.get(prefix)
    if (known) return known
    const own = gate.with({
      agent,
      door: AUTHZEN_DOOR,
      isValid: () => credentials.tokens.isThere(prefix),
      ...(principal === undefined ? {} : { principal }),
    })
    if (gates.size >= MOST_GATES) gates.clear()
    gates.set(prefix, own)
    return own
  }

  function pointFor(caller: AgentCaller, c: Context): DecisionPoint {
    return {
      gate: gateOf(caller),
      agent: ownerName(caller.token.agent),
      store,
      binding,
      home: homeOf(c, services),
      async own(id) {
        const approval = await store.get(id)
        return approval && isOwn(approval, caller.token) ? approval : undefined
      },
    }
  }

  function decide(point: DecisionPoint, { tuple, reference }: Sent): Promise<AuthzenDecision> {
    return meter.on(point.agent, () =>
      reference === undefined
        ? evaluateTuple(point, tuple)
        : reevaluateTuple(point, tuple, reference),
    )
  }

  /** One of several. What is wrong with it is its own answer, and that is no. */
  async function decideItem(
    point: DecisionPoint,
    caller: AgentCaller,
    item: unknown,
    place: string,
  ): Promise<AuthzenDecision> {
    try {
      const sent = readEvaluation(item, place)
      assertOwnSubject(sent.tuple, caller)
      if (sent.reference === undefined) return await decide(point, sent)
      // Of calls that are decided together not all may run, and an approval is used up at once.
      throw new CountersignError('usage', `${place} names an approval: evaluate it by itself`)
    } catch (error) {
      if (!isCountersignError(error) || ERRORS[error.code].http >= 429) throw error
      const { code, message } = error
      return {
        decision: false,
        context: { reason: code, error: { status: ERRORS[code].http, message } },
      }
    }
  }

  async function decideAll(
    point: DecisionPoint,
    caller: AgentCaller,
    { evaluations, semantic }: SentList,
  ): Promise<readonly AuthzenDecision[]> {
    const stop = { execute_all: undefined, deny_on_first_deny: false, permit_on_first_permit: true }
    const decisions: AuthzenDecision[] = []
    for (const [index, item] of evaluations.entries()) {
      // The request itself was counted already.
      if (index > 0) limits.calls.take(caller.token.prefix)
      const one = await decideItem(point, caller, item, `evaluations[${index}]`)
      decisions.push(one)
      if (one.decision === stop[semantic]) break
    }
    return decisions
  }

  /** A task of this agent that was asked for here. */
  async function knownTask(point: DecisionPoint, id: string) {
    const approval = await point.own(id)
    return approval?.call.door === AUTHZEN_DOOR ? approval : undefined
  }

  return [
    route('GET /.well-known/authzen-configuration', ({ c, reply }) => {
      const home = homeOf(c, services)
      return reply(200, {
        policy_decision_point: home,
        access_evaluation_endpoint: `${home}/access/v1/evaluation`,
        access_evaluations_endpoint: `${home}/access/v1/evaluations`,
        access_request_endpoint: `${home}/access/v1/requests`,
        capabilities: ['urn:openid:authzen:capability:access-request'],
      })
    }),
    routeReading('POST /access/v1/evaluation', readEvaluation, async (sent) => {
      const caller = authzenCaller(sent.caller)
      assertOwnSubject(sent.body.tuple, caller)
      return sent.reply(200, await decide(pointFor(caller, sent.c), sent.body))
    }),
    routeReading('POST /access/v1/evaluations', readEvaluations, async (sent) => {
      const caller = authzenCaller(sent.caller)
      const point = pointFor(caller, sent.c)
      const { body } = sent
      if ('tuple' in body) {
        assertOwnSubject(body.tuple, caller)
        return sent.reply(200, await decide(point, body))
      }
      return sent.reply(200, { evaluations: await decideAll(point, caller, body) })
    }),
    routeReading('POST /access/v1/requests', readSubmission, async (sent) => {
      const { c, body, reply, raw } = sent
      const caller = authzenCaller(sent.caller)
      const point = pointFor(caller, c)
      if (!body.problem) assertOwnSubject(body.tuple, caller)
      if (body.actor !== undefined && body.actor !== caller.token.agent) {
        throw new CountersignError('not_permitted', 'client.actor is not the agent of this token')
      }
      const key = readIdempotencyKey(c.req.header('idempotency-key'))
      const submitted = await meter.on(point.agent, () => submitRequest(point, body, key))
      if ('problem' in submitted) return raw(problem(...submitted.problem))
      const { approval } = submitted
      c.header('location', taskAddress(point.home, approval.id))
      const task = await taskOf(store, approval, { home: point.home, subject: subjectOf(caller) })
      if (approval.status !== 'pending') return reply(201, task)
      c.header('retry-after', RETRY_AFTER)
      return reply(202, task)
    }),
    route('GET /access/v1/requests/:id', async ({ c, caller: sender, params, reply, raw }) => {
      const caller = authzenCaller(sender)
      const point = pointFor(caller, c)
      const approval = await knownTask(point, params.id)
      if (!approval) return raw(problem('unknown_task', UNKNOWN))
      if (approval.status === 'pending') c.header('retry-after', RETRY_AFTER)
      const subject = subjectOf(caller)
      return reply(200, await taskOf(store, approval, { home: point.home, subject }))
    }),
    route('POST /access/v1/requests/:id/cancel', async (sent) => {
      const { c, params, reply, raw } = sent
      const caller = authzenCaller(sent.caller)
      const point = pointFor(caller, c)
      const approval = await knownTask(point, params.id)
      if (!approval) return raw(problem('unknown_task', UNKNOWN))
      if (approval.status !== 'pending') return raw(problem('invalid_task_state', ENDED))
      try {
        const by = { agent: caller.token.agent }
        const withdrawn = await gate.approvals.withdraw(approval.id, by)
        const subject = subjectOf(caller)
        return reply(200, await taskOf(store, withdrawn, { home: point.home, subject }))
      } catch (error) {
        const isOver = isCountersignError(error) && [409, 410].includes(ERRORS[error.code].http)
        if (isOver) return raw(problem('invalid_task_state', ENDED))
        throw error
      }
    }),
  ]
}

const UNKNOWN = 'there is no such task of this agent'
const ENDED = 'only a task that is pending can be cancelled'

function problem(name: ProblemName, detail: string): Response {
  const body = problemOf(name, detail)
  const headers = { 'content-type': PROBLEM_TYPE }
  return new Response(JSON.stringify(body), { status: body.status, headers })
}

/** A token that vouches speaks for people that each call names, and AuthZEN has no place for that. */
function authzenCaller(sender: Caller): AgentCaller {
  const caller = agentOf(sender)
  if (caller.token.vouches !== true) return caller
  throw new CountersignError(
    'not_permitted',
    'a token that vouches for people is not for AuthZEN',
    {
      hint: 'Use a token of the agent itself, or POST /v1/calls.',
    },
  )
}

function subjectOf({ token: { agent } }: AgentCaller): Entity {
  return { type: 'agent', id: agent }
}

function assertOwnSubject({ subject: { type, id } }: Tuple, { token }: AgentCaller): void {
  if (type === 'agent' && id === token.agent) return
  throw new CountersignError('not_permitted', 'the subject is not the agent of this token', {
    hint: `Send the subject { "type": "agent", "id": ${JSON.stringify(token.agent)} }.`,
  })
}

function readEvaluation(value: unknown, place = ''): Sent {
  const tuple = readTuple(value, place)
  const { approval } = readContext(value as { readonly [key: string]: unknown }, 'context')
  return { tuple, reference: approval }
}

function readEvaluations(value: unknown): Sent | SentList {
  if (!isPlainObject(value)) return readEvaluation(value)
  const { evaluations, options, ...defaults } = value
  const semantic = readSemantic(options)
  if (evaluations === undefined) return readEvaluation(defaults)
  if (!Array.isArray(evaluations)) throw invalid('evaluations is not a list')
  if (evaluations.length === 0) return readEvaluation(defaults)
  if (evaluations.length > MOST_EVALUATIONS) {
    throw invalid(`evaluations has more than ${MOST_EVALUATIONS} items`)
  }
  const items = evaluations.map((item: unknown) =>
    isPlainObject(item) ? { ...defaults, ...item } : item,
  )
  return { evaluations: items, semantic }
}

function readSemantic(options: unknown): SentList['semantic'] {
  if (options === undefined) return 'execute_all'
  if (!isPlainObject(options)) throw invalid('options is not an object')
  const { evaluations_semantic: semantic = 'execute_all' } = options
  switch (semantic) {
    case 'execute_all':
    case 'deny_on_first_deny':
    case 'permit_on_first_permit':
      return semantic
    default:
      throw invalid('options.evaluations_semantic is none of the three that are known')
  }
}

function readIdempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x20-\x7e]{1,256}$/.test(text)) return text
  throw invalid('the header idempotency-key is not a text of 1 to 256 characters')
}

function invalid(says: string): CountersignError {
  return new CountersignError('invalid_value', says)
}
